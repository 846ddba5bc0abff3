import test from 'ava';
import { formatSubject, parseSubject, type Subject } from '../../src/ranking/subject.ts';

test('a subject survives formatting and parsing, whatever its ID contains', (t) => {
  const subjects: Subject[] = [
    { kind: 'user', id: 'anna' },
    { kind: 'device', id: 'anna' },
    { kind: 'user', id: 'd:anna' },
    { kind: 'device', id: '' },
  ];
  t.deepEqual(subjects.map(formatSubject), ['u:anna', 'd:anna', 'u:d:anna', 'd:']);
  t.deepEqual(subjects.map(formatSubject).map(parseSubject), subjects);
});
