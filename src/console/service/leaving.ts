/** Holds navigation back while a page has changes that leaving would lose. */

type Ask = (leave: () => void) => void;

/** Path of the guarded page, and its last address. */
let guard: { path: string; href: string } | undefined;
let ask: Ask | undefined;

/** Guards a page until the returned function is called. */
export function setGuard(path: string): () => void {
  const own = { path, href: location.href };
  guard = own;
  return () => {
    if (guard === own) guard = undefined;
  };
}

/** Lets the next navigation pass. */
export function leaveFreely(): void {
  guard = undefined;
}

export function onAsk(asked: Ask): () => void {
  ask = asked;
  return () => {
    ask = undefined;
  };
}

/** Whether navigation may continue; otherwise asks, and calls `leave` if the user agrees. */
export function mayLeave(path: string, leave: () => void): boolean {
  if (!guard || path === guard.path || path.startsWith(`${guard.path}/`)) {
    if (guard) guard.href = location.href;
    return true;
  }
  ask?.(leave);
  return false;
}

/** The browser has moved already: the guarded address comes back before the router notices. */
window.addEventListener(
  'popstate',
  (event) => {
    const href = guard?.href;
    if (mayLeave(location.pathname, () => history.back()) || href === undefined) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', href);
  },
  true,
);
