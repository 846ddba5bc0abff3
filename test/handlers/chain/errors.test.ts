import { fromBinary, getOption } from '@bufbuild/protobuf';
import test from 'ava';
import {
  default$ as defaultStatus,
  ErrorReasonSchema,
} from '../../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { operation as operationOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  StatusSchema,
} from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { DomainError, errorReasons } from '../../../src/errors.ts';
import {
  grpcCodeOf,
  httpStatusOf,
  toDomainError,
  toErrorDetails,
  toGrpcDetails,
  toProblem,
} from '../../../src/handlers/chain/errors.ts';

for (const reason of errorReasons) {
  test(`${reason} has the statuses of error_reason.proto`, (t) => {
    const value = ErrorReasonSchema.values.find(({ name }) => name === `ERROR_REASON_${reason}`)!;
    const { httpStatus, grpcCode } = getOption(value, defaultStatus);
    t.is(httpStatusOf(reason), httpStatus);
    t.is(grpcCodeOf(reason), grpcCode);
    t.true(httpStatus >= 400 && httpStatus < 600 && grpcCode >= 1 && grpcCode <= 16);
  });
}

const violations = [{ pointer: '/title', detail: 'Must be a string.' }];
const error = new DomainError('BODY_INVALID', 'The body is wrong.', {
  metadata: { field: 'title' },
  violations,
});

test('an operation may document another status for a reason', (t) => {
  const options = getOption(ItemService.method.putItem, operationOption);
  t.is(httpStatusOf('BODY_INVALID', options), 415);
  t.is(httpStatusOf('RATE_LIMITED', options), 429);
});

const place = { method: ItemService.method.putItem, requestId: 'r' };

test('a problem and the details of a status agree', (t) => {
  t.deepEqual(toProblem(error, { basePath: '/api', requestId: 'r-1' }), {
    type: '/api/docs/errors/BODY_INVALID',
    title: 'Body invalid',
    status: 400,
    detail: 'The body is wrong.',
    request_id: 'r-1',
    errors: violations,
  });
  const { code, message, details } = fromBinary(
    StatusSchema,
    toGrpcDetails(error, { ...place, requestId: 'r-1' }),
  );
  t.is(code, 3);
  t.is(message, 'The body is wrong.');
  t.like(fromBinary(ErrorInfoSchema, details[0].value), {
    reason: 'BODY_INVALID',
    metadata: { field: 'title', request_id: 'r-1' },
  });
  t.like(fromBinary(BadRequestSchema, details[1].value).fieldViolations[0], {
    field: 'item.title',
    pointer: '/title',
    description: 'Must be a string.',
  });
});

test('without violations both have none', (t) => {
  const plain = new DomainError('ITEM_UNKNOWN', 'No such item.');
  t.false('errors' in toProblem(plain, { basePath: '', requestId: 'r' }));
  t.is(toErrorDetails(plain, place).length, 1);
});

test('violations are listed as far as trailers carry them, with the total number', (t) => {
  const many = Array.from({ length: 1_000 }, (_, i) => ({
    pointer: `/events/${i}/ü`,
    detail: 'Is required.',
  }));
  const large = new DomainError('BODY_INVALID', 'Wrong.', { violations: many });
  const details = fromBinary(StatusSchema, toGrpcDetails(large, place)).details;
  t.is(fromBinary(ErrorInfoSchema, details[0].value).metadata.violation_count, '1000');
  const listed = fromBinary(BadRequestSchema, details[1].value).fieldViolations;
  t.deepEqual(
    listed.map(({ pointer }) => pointer),
    many.slice(0, listed.length).map(({ pointer }) => pointer),
  );
  t.true(listed.length > 50 && toGrpcDetails(large, place).length < 6_000);
  t.is(toProblem(large, { basePath: '', requestId: 'r' }).errors?.length, 1_000);
});

for (const thrown of [new TypeError('x is undefined'), 'a text', undefined, { code: '42601' }]) {
  test(`${thrown} is INTERNAL, without details`, (t) => {
    const { reason, message, cause } = toDomainError(thrown);
    t.is(reason, 'INTERNAL');
    t.is(message, 'The service failed to process the request.');
    t.is(cause, thrown);
  });
}
