/** Plain text of HTML, as descriptions of shops have it: tags, comments, scripts and entities are no words. */

const inline =
  'a abbr acronym b bdi bdo big cite code em font i ins kbd mark s samp small span strike strong sub sup u var wbr';
const block =
  'address article aside audio blockquote body br button canvas caption center col colgroup dd del details dialog div dl dt ' +
  'embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe img input label legend li ' +
  'link main map meta nav object ol option p param picture pre q section select source style script summary svg path ' +
  'table tbody td template textarea tfoot th thead title tr ul video';

/** Attributes may hold `>` in quotes. Each tag ends before the next `<`, so that reading takes linear time. */
const tagPattern = (names: string): RegExp =>
  new RegExp(`</?(?:${names.replaceAll(' ', '|')})(?=[\\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>`, 'gi');

const inlineTags = tagPattern(inline);
const blockTags = tagPattern(block);
const unread = /<!--[\s\S]*?(?:-->|$)|<(script|style|template)(?=[\s>])[\s\S]*?(?:<\/\1\s*>|$)/gi;
const entityPattern = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d?));/gi;

/** Marks by the endings of names such as `&uuml;` and `&eacute;`. */
const marks: Record<string, string> = {
  ...{ uml: '\u0308', acute: '\u0301', grave: '\u0300', circ: '\u0302', tilde: '\u0303', cedil: '\u0327' },
  ...{ ring: '\u030a', caron: '\u030c' },
};
const lettered = new RegExp(`^([a-z])(${Object.keys(marks).join('|')})$`, 'i');
const named: Record<string, string> = Object.fromEntries(
  'amp:& lt:< gt:> quot:" apos:\' rsquo:’ lsquo:‘ szlig:ß oslash:ø Oslash:Ø aelig:æ AElig:Æ oelig:œ euro:€ pound:£ deg:° times:× frac12:½ frac14:¼'
    .split(' ')
    .map((pair) => pair.split(':')),
);

function characterOf(entity: string, decimal?: string, hex?: string, name = ''): string {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : -1;
  if (code >= 0) return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  const [, letter, mark] = lettered.exec(name) ?? [];
  return letter ? letter + marks[mark.toLowerCase()] : (named[name] ?? (name.length > 2 ? ' ' : entity));
}

export function plainText(text: string): string {
  const untagged = text.includes('<')
    ? text.replace(unread, ' ').replace(blockTags, ' ').replace(inlineTags, '')
    : text;
  return untagged.includes('&') ? untagged.replace(entityPattern, characterOf) : untagged;
}
