import { api, TAGS } from '../api.ts';
import { BASE_PATH } from '../http/mount.ts';
import { describeApi } from '../http/openapi.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';

export function describeOwnApi(): object {
  return describeApi(api({ register: sandboxRegister() }), BASE_PATH, TAGS);
}
