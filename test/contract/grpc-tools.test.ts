/** Common gRPC tools read the protos or use reflection, without code of this project. */

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { create, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import {
  Client,
  credentials,
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import test from 'ava';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { services } from '../../gen/rest/services.ts';
import { describeSymbol, reflect } from './support/reflection.ts';
import { testedService } from './support/tested-service.ts';

const tested = testedService();
const root = resolve(import.meta.dirname, '../..');
const buf = join(root, 'node_modules/.bin/buf');
const includeDirs = [join(root, 'proto'), join(root, 'node_modules/protobufjs')];
const channel = credentials.createInsecure();
/** protobufjs generates names for the presence of optional fields; they must be unique. */
const preference = { query: { key: 'title', match: { value: { string_value: 'x' } } }, weight: 2 };

test('proto-loader reads every service file, and its clients call the service', async (t) => {
  const files = globSync('personalisation/v1/*_service.proto', { cwd: includeDirs[0] });
  t.is(files.length, services.length);
  const definitions = files.map((file) => loadSync(file, { includeDirs, keepCase: true }));
  for (const [index, definition] of definitions.entries()) {
    const known = services.some(({ typeName }) => typeName in definition);
    t.true(known, files[index]);
  }
  const loaded = loadPackageDefinition(Object.assign({}, ...definitions)) as Record<string, GrpcObject>;
  const { MetricService } = loaded.personalisation.v1 as Record<string, ServiceClientConstructor>;
  const client = new MetricService(tested.grpcAddress, channel);
  t.teardown(() => client.close());
  const answer = await ask<{ metrics: { metric_name: string }[] }>((reply) =>
    client.ListMetrics({}, metadata(), reply),
  );
  t.true(answer.metrics.some(({ metric_name: name }) => name === 'impressions'));
});

for (const version of ['v1', 'v1alpha'] as const)
  test(`a protobufjs client calls the service using reflection ${version} only`, async (t) => {
    const files = new Map<string, FileDescriptorProto>();
    for (const { typeName } of services)
      for (const [name, file] of await describeSymbol(tested.grpcAddress, version, typeName))
        files.set(name, file);
    const set = create(FileDescriptorSetSchema, { file: [...files.values()] });
    const bytes = toBinary(FileDescriptorSetSchema, set);
    const types = rootOf(descriptor.FileDescriptorSet.decode(bytes));
    types.resolveAll();
    const service = types.lookupService('personalisation.v1.ConfigurationService');
    const method = service.methods.LintConfiguration.resolve() as protobuf.Method;
    const client = new Client(tested.grpcAddress, channel);
    t.teardown(() => client.close());
    const answer = await ask<{ warnings: { kind: string }[] }>((reply) =>
      client.makeUnaryRequest(
        `/personalisation.v1.ConfigurationService/${method.name}`,
        (message: object) => {
          const request = method.resolvedRequestType!.fromObject(message);
          return Buffer.from(method.resolvedRequestType!.encode(request).finish());
        },
        (reply: Buffer) => method.resolvedResponseType!.decode(reply),
        { configuration: { configuration_id: 'tools', preferences: [preference, preference] } },
        metadata(),
        reply,
      ),
    );
    t.deepEqual(
      answer.warnings.map(({ kind }) => kind),
      ['dead_condition', 'dead_condition'],
    );
  });

/** The extension adds it to the class, but not to its types. */
function rootOf(set: protobuf.Message): protobuf.Root {
  const { fromDescriptor } = protobuf.Root as unknown as { fromDescriptor(set: unknown): protobuf.Root };
  return fromDescriptor(set);
}

function metadata(): Metadata {
  const carried = new Metadata();
  carried.set('authorization', tested.authorization);
  return carried;
}

type Reply = (error: ServiceError | null, answer: unknown) => void;

function ask<Answer>(call: (reply: Reply) => unknown): Promise<Answer> {
  return new Promise((done, fail) => {
    call((error, answer) => (error ? fail(error) : done(answer as Answer)));
  });
}

test('buf curl calls the gRPC port by reflection, and the HTTP port with the protos', async (t) => {
  const call = async (url: string, ...words: string[]) => {
    const token = ['-H', `authorization: ${tested.authorization}`];
    const path = `${url}/personalisation.v1.MetricService/ListMetrics`;
    const { stdout } = await promisify(execFile)(buf, ['curl', ...words, ...token, '-d', '{}', path]);
    return (JSON.parse(stdout) as { metrics: object[] }).metrics.length;
  };
  const reflected = await call(
    `http://${tested.grpcAddress}`,
    '--protocol',
    'grpc',
    '--http2-prior-knowledge',
  );
  t.true(reflected > 0);
  t.is(await call(tested.origin, '--schema', join(root, 'proto')), reflected);
});

test('reflection describes health and the details of errors', async (t) => {
  for (const symbol of ['grpc.health.v1.Health', 'google.rpc.ErrorInfo', 'google.rpc.BadRequest']) {
    const files = [...(await describeSymbol(tested.grpcAddress, 'v1', symbol)).values()];
    const names = files.flatMap(({ package: prefix, messageType, service }) =>
      [...messageType, ...service].map(({ name }) => `${prefix}.${name}`),
    );
    t.true(names.includes(symbol), symbol);
  }
  const { listServicesResponse } = await reflect(tested.grpcAddress, 'v1', { listServices: '' });
  t.true(listServicesResponse!.service.some(({ name }) => name === 'grpc.health.v1.Health'));
});
