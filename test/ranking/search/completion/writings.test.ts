/** Completions of words that titles write as one and users as two, or the reverse. */
import test from 'ava';
import { type CompletionRow, tellCompletions } from '../support/completion-table.ts';
import { createWorld, merge } from '../support/world.ts';

const items = [
  { id: 'notebook', title: 'Notebook sleeve' },
  { id: 'pad', title: 'Lined exercise book A5' },
  { id: 'shirt', title: 'Red T Shirt' },
  { id: 'phones', title: 'WH 1000XM4 headphones', brand: 'Sony' },
  { id: 'laptop', title: 'Pavilion DV7' },
  { id: 'car', title: 'Car seat for a pet' },
  { id: 'carpet', title: 'Pet car' },
];

const completions: CompletionRow[] = [
  ['note book', ['notebook'], 'two words as one'],
  ['note boo', ['notebook'], 'two words as one that is not typed to its end'],
  ['note book sle', ['notebook'], 'two words as one before another'],
  ['exercisebook', ['pad'], 'one word as two'],
  ['exerciseb', ['pad'], 'one word as two, of which the second is not typed to its end'],
  ['lined exercisebook a', ['pad'], 'one word as two between others'],
  ['tshirt', ['shirt'], 'a letter and a word'],
  ['t-shi', ['shirt'], 'a word with a sign as two'],
  ['sony wh-1000', ['phones'], 'a code with a sign as two words'],
  ['wh1000xm4', ['phones'], 'a code as two words'],
  ['dv 7', ['laptop'], 'two words as one code'],
  ['carpet', [], 'words that are not side by side in this order are not one word'],
  ['exercisebo a5', [], 'a word before the last is typed to its end'],
  ['exercise-book-a5', [], 'three words as one'],
];
tellCompletions(items, completions);

test('a title in the typed spelling is the only completion', (t) => {
  const world = createWorld([...items, { id: 'book', title: 'Note book' }]);
  merge(world);
  t.deepEqual(world.complete('notebook'), ['notebook']);
  t.deepEqual(world.complete('note book'), ['book']);
});

test('the same with collapsed variants', (t) => {
  const world = createWorld([
    { id: 'red', title: 'Notebook red', group_id: 'notebook' },
    { id: 'blue', title: 'Notebook blue', group_id: 'notebook' },
    { id: 'book', title: 'Note book' },
  ]);
  merge(world);
  t.is(world.complete('notebook').length, 1);
  t.deepEqual(world.complete('notebook b'), ['blue']);
  t.is(world.complete('note book').join(), 'book');
});
