import { Metadata } from '@grpc/grpc-js';
import test from 'ava';
import { describeFailure, KnownFailure } from '../../../src/cli/connection/failure.ts';
import { DomainError } from '../../../src/errors.ts';
import { grpcCodeOf, toGrpcDetails } from '../../../src/handlers/chain/errors.ts';

function grpcError(code: number, details: string, metadata?: Metadata): Error {
  return Object.assign(new Error(details), { code, details, metadata });
}

test('a gRPC failure of the service is its reason, its sentence and its violations', (t) => {
  const error = new DomainError('BODY_INVALID', 'The item is not as declared.', {
    violations: [{ pointer: '/price', detail: 'Must be a number.' }],
  });
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(toGrpcDetails(error, 'r1')));
  t.is(
    describeFailure(grpcError(grpcCodeOf('BODY_INVALID'), error.message, metadata)),
    'BODY_INVALID: The item is not as declared.\n  /price: Must be a number.',
  );
});

test('a service that is not there is said to be so', (t) => {
  const details =
    'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ';
  t.is(
    describeFailure(grpcError(14, details)),
    'The service cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
  );
});

test('what a sentence says already is not said again', (t) => {
  const violation = { pointer: '/dimension', detail: 'Must be one of them.' };
  const message = '/dimension: Must be one of them.';
  const failure = new KnownFailure({ reason: 'BODY_INVALID', message, violations: [violation] });
  t.is(describeFailure(failure), `BODY_INVALID: ${message}`);
});

test('a statement that the database refuses is told with its SQLSTATE and message', (t) => {
  const cause = Object.assign(new Error('role "nobody" does not exist'), { code: '22023' });
  const failure = new DomainError('INTERNAL', 'The database refused a statement.', { cause });
  t.is(
    describeFailure(failure),
    'The database refused a statement. (SQLSTATE 22023: role "nobody" does not exist)',
  );
});

test('an HTTP failure reads the same', (t) => {
  const failure = new KnownFailure({
    reason: 'CONFIGURATION_UNKNOWN',
    message: 'There is none.',
    violations: [],
  });
  t.is(describeFailure(failure), 'CONFIGURATION_UNKNOWN: There is none.');
});
