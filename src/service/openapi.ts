import { api, TAGS } from '../api.ts';
import { Waits } from '../changes/waits.ts';
import { BASE_PATH } from '../http/mount.ts';
import { describeApi } from '../http/openapi.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';

export function describeOwnApi(): object {
  return describeApi(api({ register: sandboxRegister(), waits: new Waits() }), BASE_PATH, TAGS);
}
