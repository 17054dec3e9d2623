import { deletionOf } from '../changes/deletion.ts';
import { offerAnswer, offerParams } from './schema.ts';
import { findOffer, offerDeletion } from './store.ts';

export const { deleteOne: deleteOffer, restoreOne: restoreOffer } = deletionOf('an Offer', {
  params: offerParams,
  shown: offerAnswer,
  find: findOffer,
  ...offerDeletion,
});
