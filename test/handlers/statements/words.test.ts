import test from 'ava';
import { parameterOf, wordsOf } from '../../../src/handlers/statements/words.ts';
import { modelEntries } from '../../../src/ranking/models/registry.ts';

test('every model of the blend has a parameter with words in every language', (t) => {
  for (const { name } of modelEntries)
    for (const words of Object.values(wordsOf)) t.truthy(words.parameters[parameterOf[name]], name);
});
