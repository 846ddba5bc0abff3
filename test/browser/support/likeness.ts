/** Pictures of pages beside kept ones, compared by the browser itself: no package knows its pictures better. */

import { Buffer } from 'node:buffer';
import type { Page } from 'playwright-core';

/** Kept pictures are half or less as wide: letters blur, and what remains is where things are and how bright. */
const mostKeptWidth = 320;
const keptQuality = 0.7;
/** Of brightness, 0 to 255: edges of letters that lie a pixel aside are below it. */
const noticeable = 48;

const draw = `async (base64, wanted) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const whole = await createImageBitmap(new Blob([bytes]));
  const width = wanted ?? whole.width;
  const height = Math.round((whole.height * width) / whole.width);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(whole, 0, 0, width, height);
  return { canvas, pixels: context.getImageData(0, 0, width, height) };
}`;

/** A picture of the page as it is kept: small, as JPEG. @param desk Any page without a policy of its own. */
export async function takePicture(page: Page, desk: Page): Promise<Buffer> {
  const width = Math.min(mostKeptWidth, Math.round(page.viewportSize()!.width / 2));
  const whole = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const url: string = await desk.evaluate(`(async () => {
    const { canvas } = await (${draw})(${JSON.stringify(whole.toString('base64'))}, ${width});
    return canvas.toDataURL('image/jpeg', ${keptQuality});
  })()`);
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** Share of the places where one sees a difference, 0 to 1; 1 when the sizes differ. */
export async function differenceOf(desk: Page, one: Buffer, other: Buffer): Promise<number> {
  const [first, second] = [one, other].map((picture) => JSON.stringify(picture.toString('base64')));
  return desk.evaluate(`(async () => {
    const [a, b] = [(await (${draw})(${first})).pixels, (await (${draw})(${second})).pixels];
    if (a.width !== b.width || a.height !== b.height) return 1;
    const [p, q] = [a.data, b.data];
    let count = 0;
    for (let i = 0; i < p.length; i += 4) {
      const apart = Math.abs(p[i] + p[i + 1] + p[i + 2] - q[i] - q[i + 1] - q[i + 2]) / 3;
      if (apart > ${noticeable}) count += 1;
    }
    return (4 * count) / p.length;
  })()`);
}
