import { create } from '@bufbuild/protobuf';
import {
  CreateTokenResponseSchema,
  TokenService,
} from '../../../gen/es/personalisation/v1/token_service_pb.js';
import type { TokenEndpoint } from '../../security/token-endpoint.ts';
import { implement } from '../chain/implement.ts';

export function createTokenHandlers({ tokenEndpoint }: { tokenEndpoint: TokenEndpoint }) {
  return implement(TokenService, {
    async createToken({ clientId, clientSecret, scope }, call) {
      return create(
        CreateTokenResponseSchema,
        await tokenEndpoint.createToken({ clientId, clientSecret, scope }, call),
      );
    },
  });
}
