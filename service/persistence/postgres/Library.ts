/** The PostgreSQL driver, in a module of its own: it is loaded only if the database is PostgreSQL. */
export { default } from "pg"
