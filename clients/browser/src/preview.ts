/**
 * A preview of a draft on this page: its token comes in the fragment of a link, stays for the tab, and
 * goes with requests for lists and searches. Nothing is tracked meanwhile.
 */

export type Preview = {
  /** Part of the body of a request. */
  part(): { preview?: string };
  /** Shows how to end the preview, or ends it when the service ignored its token. */
  heed(answer: { preview?: string }): void;
};

const key = 'personalisation_preview';

export function createPreview(): Preview {
  let token = typeof document === 'undefined' ? undefined : takeToken();
  let badge: HTMLElement | undefined;

  function end(): void {
    token = undefined;
    badge?.remove();
    try {
      sessionStorage.removeItem(key);
    } catch {
      // There was none.
    }
  }

  return {
    part: () => (token ? { preview: token } : {}),
    heed({ preview }) {
      if (!token) return;
      if (preview === 'ignored') {
        end();
        console.warn('The preview has ended.');
      } else if (preview && !badge) {
        badge = showBadge(() => {
          end();
          location.reload();
        });
      }
    },
  };
}

/** Removes the token from the address, so that it is neither bookmarked nor passed on. */
function takeToken(): string | undefined {
  const [part, given] = new RegExp(`[#&]${key}=([\\w.-]{1,4096})`).exec(location.hash) ?? [];
  if (part) history.replaceState(history.state, '', location.href.replace(part, ''));
  try {
    if (given) sessionStorage.setItem(key, given);
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return given;
  }
}

function showBadge(end: () => void): HTMLElement {
  const badge = document.createElement('div');
  badge.setAttribute('role', 'status');
  badge.style.cssText =
    'position:fixed;right:8px;bottom:8px;z-index:2147483647;padding:8px;background:#222;color:#fff;font:14px sans-serif';
  const button = document.createElement('button');
  button.textContent = 'End preview';
  button.onclick = end;
  badge.append('Preview ', button);
  document.body.append(badge);
  return badge;
}
