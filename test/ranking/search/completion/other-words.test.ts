/** Completions by other spellings, by parts of compounds, and by possessives. */
import { tellCompletions } from '../support/completion-table.ts';

const titled = (titles: string[], language: string) =>
  titles.map((title) => ({ id: title, title, language }));

tellCompletions(
  titled(
    ['Kühlschrank', 'Bücherregal', 'Mineralwasser', 'Damenschuhe rot', 'Weingläser', 'Olivenöl', 'Alkohol'],
    'de',
  ),
  [
    ['kuhl', ['Kühlschrank'], 'it is the beginning'],
    ['kuehl', ['Kühlschrank'], 'ue is ü'],
    ['buecher', ['Bücherregal'], 'ue is ü'],
    ['wass', ['Mineralwasser'], 'a part of the compound begins with it'],
    ['schrank', ['Kühlschrank'], 'it is a part of the compound'],
    ['glas', ['Weingläser'], 'it is a part of the compound'],
    ['schuhe damen', ['Damenschuhe rot'], 'the parts may have any order'],
    ['öl', ['Olivenöl'], 'it is a noun of two letters'],
    ['oel', ['Olivenöl'], 'oe is ö'],
    ['sand', [], 'nothing has it'],
  ],
);

tellCompletions(titled(["Women's shoes", "Men's shirt", "Kellogg's flakes"], 'en'), [
  ['womens', ["Women's shoes"], 'the apostrophe is seldom typed'],
  ["women's sh", ["Women's shoes"], 'or typed'],
  ['mens shirt', ["Men's shirt"], 'the apostrophe is seldom typed'],
  ['kelloggs', ["Kellogg's flakes"], 'names have one too'],
]);
