/**
 * Proposes a mapping: columns to item fields with similar names, and conversions of their values.
 * The importer sees it beside samples, and a dry run checks it.
 */

export type Column = {
  name: string;
  /** Some non-empty cells. */
  samples: readonly string[];
};

export type FieldType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

export type TargetField = { name: string; type: FieldType };

/** Fields of an item that a column can be mapped to, besides declared properties. */
export const itemFields: readonly TargetField[] = [
  ...['item_id', 'item_type', 'title', 'description', 'uri', 'language', 'group_id'].map(ofType('string')),
  ...['categories', 'tags', 'images'].map(ofType('string[]')),
  ...['publication_datetime', 'expiration_datetime'].map(ofType('datetime')),
];

function ofType(type: FieldType): (name: string) => TargetField {
  return (name) => ({ name, type });
}

/**
 * Usual names in shops and publishing, in the spelling of `plain`, likelier names first: English,
 * then German, French, Spanish, Italian and Dutch.
 */
const otherNames: Readonly<Record<string, string>> = {
  item_id:
    'id sku productid articleid articlenumber movieid itemno ean gtin asin artikelnummer artikelnr artnr artikelid artikel produktnummer produktid bestellnummer référence codearticle idproduit referencia codigo código codice artikelcode',
  item_type: 'type kind typ artikeltyp produkttyp',
  title:
    'name productname headline label titel bezeichnung artikelbezeichnung produktname artikelname überschrift titre nom nomproduit libellé título nombre titolo nome naam productnaam omschrijving',
  description:
    'text body summary abstract longdescription shortdescription productdescription beschreibung artikelbeschreibung produktbeschreibung langtext kurzbeschreibung langbeschreibung descriptif descripción descrizione beschrijving',
  uri: 'url link producturl canonicalurl href produkturl deeplink produktlink adresse lien enlace collegamento',
  language: 'lang locale sprache langue idioma lingua taal',
  categories:
    'category categorypath producttype googleproductcategory department genres genre section kategorie kategorien warengruppe kategoriepfad rubrik ressort catégorie catégories categoría categorías categoria categorie',
  group_id:
    'itemgroupid parentid parentsku masterid seriesid productgroup vaterartikel hauptartikel gruppenid elternartikel stammartikel',
  tags: 'keywords labels tag schlagworte schlagwörter stichworte stichwörter merkmale motsclés etiquetas etichette trefwoorden',
  images:
    'image imageurl imagelink picture pictures pictureurl thumbnail bild bilder bildurl bildlink produktbild hauptbild artikelbild photo imagen imágenes immagine immagini afbeelding afbeeldingen',
  publication_datetime:
    'publicationdate published publishedat date released releasedate createdat created datum veröffentlicht veröffentlichungsdatum erscheinungsdatum erschienenam angelegtam verfügbarab fecha data',
  expiration_datetime: 'expires expiresat enddate validuntil gültigbis ablaufdatum',
  brand: 'manufacturer vendor make marke hersteller herstellername marque fabricant marca merk fabrikant',
  price:
    'saleprice unitprice amount cost preis verkaufspreis vk vkpreis bruttopreis vkbrutto preisbrutto einzelpreis preiseur prix prixttc precio prezzo prijs',
  in_stock:
    'available availability stock bestand lagerbestand lagermenge verfügbar verfügbarkeit lieferbar menge disponible disponibilité existencias disponibilità voorraad',
};

/** Names that mean the same as a field or property. */
function namesLike(name: string): string[] {
  const known = otherNames[name] ?? '';
  const alike = Object.entries(otherNames).find(([field, names]) =>
    [plain(field), ...names.split(' ')].includes(plain(name)),
  );
  return known === '' && alike ? [plain(alike[0]), ...alike[1].split(' ')] : known.split(' ');
}

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Maps columns to fields. Columns without a similar field are absent; no field is used twice. */
export function proposeFields(
  columns: readonly Column[],
  targets: readonly TargetField[],
): ReadonlyMap<string, string> {
  const proposed = new Map<string, string>();
  const free = () => columns.filter(({ name }) => name !== '' && !proposed.has(name));
  const take = (target: string, wanted: string) => {
    const column = free().find(({ name }) => plain(name) === wanted);
    if (column) proposed.set(column.name, target);
    return column !== undefined;
  };
  const open = targets.filter(({ name }) => !take(name, plain(name)));
  for (const { name } of open) namesLike(name).some((other) => take(name, other));
  return proposed;
}

const separators = ['|', ';', ','];

/** Writes the expression of a field as YAML. */
export function expressionOf({ name, samples }: Column, type: FieldType): string {
  const parts = [`column: ${JSON.stringify(name)}`];
  const separator = separators.find((one) => samples.some((text) => text.includes(one))) ?? '|';
  if (type === 'string[]') parts.push(`split: ${JSON.stringify(separator)}`);
  if (type === 'number') parts.push(`as: ${numberFormOf(samples)}`);
  if (type === 'boolean') parts.push('as: boolean');
  if (type === 'datetime') parts.push(`as: ${dateFormOf(samples)}`);
  return `{ ${parts.join(', ')} }`;
}

/** `1,290` may have thousands or decimals; other values of its column decide. */
function numberFormOf(samples: readonly string[]): string {
  if (samples.some((text) => /\d,(\d{1,2}|\d{4,})(?!\d)/.test(text))) return 'decimal_comma';
  return samples.some((text) => /\d,\d{3}(?!\d)/.test(text)) ? 'decimal_point' : 'number';
}

function dateFormOf(samples: readonly string[]): string {
  if (samples.every((text) => /^\d{8,11}$/.test(text) && !/^(19|20)\d{6}$/.test(text))) return 'unix_seconds';
  const dates = samples.map((text) => /^(\d{1,2})\/(\d{1,2})\/\d{4}/.exec(text));
  if (dates.length === 0 || dates.some((match) => match === null)) return 'date';
  return dates.some((match) => Number(match![2]) > 12) ? 'month_day_year' : 'day_month_year';
}

export type MappingParts = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  /** Column to field. */
  chosen: ReadonlyMap<string, string>;
  /** For all records, if no column is mapped to item_type. */
  itemType: string;
};

/** Writes the mapping file, for this import and for the command line. */
export function writeMapping({ columns, targets, chosen, itemType }: MappingParts): string {
  const lines = columns.flatMap((column) => {
    const field = chosen.get(column.name);
    const target = targets.find(({ name }) => name === field);
    return target ? [`  ${target.name}: ${expressionOf(column, target.type)}`] : [];
  });
  const saysType = [...chosen.values()].includes('item_type');
  if (!saysType) lines.push(`  item_type: { value: ${JSON.stringify(itemType)} }`);
  return `items:\n${lines.join('\n')}\n`;
}
