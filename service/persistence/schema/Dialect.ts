/**
 * More ids than a database can lack that was restored, or whose replica lagged: the purchases of hours under full
 * load, or of years in an ordinary company.
 */
export const LOST_IDS_MAX = 100_000

/** The words that the databases' schemas differ in; everything else in a migration is the same for both. */
export interface SchemaDialect {
  /** A primary key whose values the database assigns, never twice. */
  readonly identity: string
  readonly integer: string
  /** Compared and sorted byte by byte. */
  readonly text: string
  /** Ends a table: values of other types are refused. */
  readonly strict: string
  /** Ends a table that is stored in the order of its primary key. */
  readonly clustered: string
  /** Before TABLE: a crash of the server may empty it. */
  readonly unlogged: string
  /** The current time in seconds. */
  readonly epochSeconds: string
  /** A trigger that refuses a change, like `DELETE ON journals`; nothing where the change does not exist. */
  readonly refuse: (name: string, change: `${"UPDATE" | "DELETE" | "TRUNCATE"} ON ${string}`, message: string) => string
  /** Triggers that keep a column of a table's rows equal to the number of rows of another table that refer to them. */
  readonly counter: (table: string, column: string, counted: string, reference: string) => string
  readonly dropTrigger: (name: string, table: string) => string
  /**
   * Once: lets the ids of tables jump when the database continues from an older state, as a replica that lagged does,
   * so that no id is assigned twice; nothing where the database cannot know that.
   */
  readonly freshIds: (tables: ReadonlyArray<string>) => string
}

/** One step of the schema. A released migration is never edited: a change is a new one. */
export type Migration = (dialect: SchemaDialect) => string
