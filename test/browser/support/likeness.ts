/** Compares screenshots with stored pictures, in the browser itself. */

import { Buffer } from 'node:buffer';
import type { Locator, Page } from 'playwright-core';

/** Stored pictures have at most half the width: letters blur, and layout and brightness remain. */
const mostKeptWidth = 320;
const keptQuality = 0.7;
/** Smallest difference in brightness that counts, 0 to 255; edges of letters shifted by a pixel are below it. */
const noticeable = 32;

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

/**
 * A picture of the page as it is kept: small, as JPEG.
 *
 * @param blank Any page without a policy of its own.
 * @param live Parts that change from run to run; they are masked.
 */
export async function takePicture(page: Page, blank: Page, live?: Locator): Promise<Buffer> {
  const width = Math.min(mostKeptWidth, Math.round(page.viewportSize()!.width / 2));
  const whole = await page.screenshot({
    animations: 'disabled',
    caret: 'hide',
    mask: live && [live],
    maskColor: 'white',
  });
  const url: string = await blank.evaluate(`(async () => {
    const { canvas } = await (${draw})(${JSON.stringify(whole.toString('base64'))}, ${width});
    return canvas.toDataURL('image/jpeg', ${keptQuality});
  })()`);
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/**
 * Share of non-empty pixels that differ between two pictures, 0 to 1; 1 when the sizes differ. Empty ground does not count,
 * because it is most of a wide window.
 */
export async function differenceOf(blank: Page, one: Buffer, other: Buffer): Promise<number> {
  const [first, second] = [one, other].map((picture) => JSON.stringify(picture.toString('base64')));
  return blank.evaluate(`(async () => {
    const [a, b] = [(await (${draw})(${first})).pixels, (await (${draw})(${second})).pixels];
    if (a.width !== b.width || a.height !== b.height) return 1;
    const tones = ({ data }) => Array.from({ length: data.length / 4 }, (_, i) =>
      (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3);
    const [p, q] = [tones(a), tones(b)];
    let [standing, apart] = [0, 0];
    for (let i = 0; i < p.length; i += 1) {
      if (Math.max(255 - p[i], 255 - q[i]) > ${noticeable}) standing += 1;
      if (Math.abs(p[i] - q[i]) > ${noticeable}) apart += 1;
    }
    return apart / Math.max(standing, 1);
  })()`);
}
