/** The place on each page, which Back and a reload find again. The browser looks for it before a list is drawn. */

/** Without scrolling, before the place is stored. */
const PAUSE_MILLIS = 100

/** The time in which a page may be drawn, and become as long as it was. */
const DRAWN_MILLIS = 1_500

interface Place {
  readonly y?: number
}

const store = (): void => history.replaceState({ ...history.state as Place | null, y: scrollY }, "")

const restore = (): void => {
  const { y = 0 } = (history.state ?? {}) as Place
  const end = performance.now() + DRAWN_MILLIS
  const look = () => {
    scrollTo(0, y)
    if (Math.abs(scrollY - y) > 1 && performance.now() < end) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Once, when the page starts. */
export const keepPlaces = (): void => {
  history.scrollRestoration = "manual"
  let timer = 0
  addEventListener("scroll", () => {
    const { href } = location
    window.clearTimeout(timer)
    timer = window.setTimeout(() => location.href === href && store(), PAUSE_MILLIS)
  }, { passive: true })
  // A click may lead to another page before that.
  addEventListener("click", store, { capture: true })
  addEventListener("popstate", restore)
  restore()
}
