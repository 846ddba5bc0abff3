/** `npm run build:icons`: copies the icons that the console names from lucide-react, whose 1,700 icons take 51 MB. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as lucide from 'lucide-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

const folder = resolve(import.meta.dirname, '../src/console/kit');
const [, names] = /export const \{([^}]*)\}/.exec(readFileSync(resolve(folder, 'icons.ts'), 'utf8'));

/** Returns the shapes of an icon, as tag and attributes. */
function shapesOf(icon) {
  const [, ...shapes] = renderToStaticMarkup(createElement(icon)).matchAll(/<(\w+) ([^>]*)>/g);
  return shapes.map(([, tag, text]) => {
    const attributes = Array.from(text.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value]);
    return [tag, Object.fromEntries(attributes)];
  });
}

const known = new Map(Object.entries(lucide));
const icons = names.match(/\w+/g).map((name) => [name, shapesOf(known.get(name))]);
const lines = icons.map(([name, shapes]) => `  "${name}": ${JSON.stringify(shapes)}`);
writeFileSync(resolve(folder, 'icons.json'), `{\n${lines.join(',\n')}\n}\n`);
