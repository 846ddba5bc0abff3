/** The standard reflection service over our descriptors, so that stock gRPC tools need no proto files. */

import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { ReflectionService } from '@grpc/reflection';

type PackageDefinition = ConstructorParameters<typeof ReflectionService>[0];

export function createReflection(services: readonly DescService[]): ReflectionService {
  const files = new Map<string, Buffer>();
  for (const { file } of services) addFile(file, files);
  const fileDescriptorProtos = [...files.values()];
  return new ReflectionService({ all: { fileDescriptorProtos } } as unknown as PackageDefinition);
}

function addFile(file: DescFile, files: Map<string, Buffer>): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
  for (const dependency of file.dependencies) addFile(dependency, files);
}
