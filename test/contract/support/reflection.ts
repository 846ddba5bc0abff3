/** A reflection client like those of common tools, from the protocol's proto file. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const { resolve } = createRequire(import.meta.url);
const protoFolder = join(dirname(resolve('@grpc/reflection/package.json')), 'build/proto/grpc/reflection');

type Answer = {
  listServicesResponse?: { service: { name: string }[] };
  fileDescriptorResponse?: { fileDescriptorProto: Uint8Array[] };
  errorResponse?: { errorCode: number };
};

export type Question =
  | { listServices: string }
  | { fileContainingSymbol: string }
  | { fileByFilename: string };

/** Asks one question. */
export async function reflect(
  address: string,
  version: 'v1' | 'v1alpha',
  question: Question,
): Promise<Answer> {
  const root = await protobuf.load(join(protoFolder, version, `reflection.proto`));
  const name = `grpc.reflection.${version}`;
  const request = root.lookupType(`${name}.ServerReflectionRequest`);
  const response = root.lookupType(`${name}.ServerReflectionResponse`);
  const client = new Client(address, credentials.createInsecure());
  try {
    const stream = client.makeBidiStreamRequest(
      `/${name}.ServerReflection/ServerReflectionInfo`,
      (message: Question) => Buffer.from(request.encode(request.create(message)).finish()),
      (bytes: Buffer) => response.decode(bytes) as unknown as Answer,
    );
    stream.write(question);
    stream.end();
    for await (const answer of stream) return answer as Answer;
    throw new Error('There was no answer.');
  } finally {
    client.close();
  }
}

/** The file of a symbol and its imports, by name. */
export async function describeSymbol(
  address: string,
  version: 'v1' | 'v1alpha',
  symbol: string,
): Promise<Map<string, FileDescriptorProto>> {
  const files = new Map<string, FileDescriptorProto>();
  const keep = async (question: Question) => {
    const { fileDescriptorResponse } = await reflect(address, version, question);
    for (const bytes of fileDescriptorResponse!.fileDescriptorProto) {
      const file = fromBinary(FileDescriptorProtoSchema, bytes);
      files.set(file.name, file);
    }
  };
  await keep({ fileContainingSymbol: symbol });
  for (const { dependency } of files.values())
    for (const fileByFilename of dependency) if (!files.has(fileByFilename)) await keep({ fileByFilename });
  return files;
}
