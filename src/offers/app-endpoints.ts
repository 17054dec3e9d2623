import { deletionOf } from '../changes/deletion.ts';
import { offerAnswer, offerParams } from './schema.ts';
import { deleteOffer, findOffer, restoreOffer } from './store.ts';

export const { remove: removeOffer, bringBack: bringBackOffer } = deletionOf('an Offer', {
  params: offerParams,
  shown: offerAnswer,
  find: findOffer,
  delete: deleteOffer,
  restore: restoreOffer,
});
