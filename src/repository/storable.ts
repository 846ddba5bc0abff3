/** Returns text that Postgres can store: without NUL, lone surrogates and the separators of encode-values.ts. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return unstorable.test(whole) ? whole.replaceAll(allUnstorable, '\ufffd') : whole;
}

const unstorable = /[\0\ufdd0\ufdd1]/;
const allUnstorable = /[\0\ufdd0\ufdd1]/g;
