import test from 'ava';
import { PersonalisationError } from '../../../clients/node/src/errors.ts';
import { describeFailure, ServiceFailure } from '../../../src/cli/connection/failure.ts';
import { DomainError } from '../../../src/errors.ts';

test('a gRPC failure is described by reason, message and violations', (t) => {
  const error = new PersonalisationError('BODY_INVALID', 'The item is not as declared.', {
    metadata: { request_id: 'r1' },
    violations: [{ pointer: '/price', detail: 'Must be a number.' }],
  });
  t.is(describeFailure(error), 'BODY_INVALID: The item is not as declared.\n  /price: Must be a number.');
});

test('a failure without an answer says that the service cannot be reached', (t) => {
  const error = new PersonalisationError('UNAVAILABLE', 'connect ECONNREFUSED 127.0.0.1:1');
  t.is(describeFailure(error), 'The service cannot be reached: connect ECONNREFUSED 127.0.0.1:1.');
});

test('a violation that repeats the message is left out', (t) => {
  const violation = { pointer: '/dimension', detail: 'Must be one of them.' };
  const message = '/dimension: Must be one of them.';
  const failure = new ServiceFailure({ reason: 'BODY_INVALID', message, violations: [violation] });
  t.is(describeFailure(failure), `BODY_INVALID: ${message}`);
});

test('a refused statement is described with its SQLSTATE and message', (t) => {
  const cause = Object.assign(new Error('role "nobody" does not exist'), { code: '22023' });
  const failure = new DomainError('INTERNAL', 'The database refused a statement.', { cause });
  t.is(
    describeFailure(failure),
    'The database refused a statement. (SQLSTATE 22023: role "nobody" does not exist)',
  );
});

test('an HTTP failure is described like a gRPC failure', (t) => {
  const failure = new ServiceFailure({
    reason: 'CONFIGURATION_UNKNOWN',
    message: 'There is none.',
    violations: [],
  });
  t.is(describeFailure(failure), 'CONFIGURATION_UNKNOWN: There is none.');
});
