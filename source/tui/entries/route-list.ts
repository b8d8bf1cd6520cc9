import {routeNoun} from '../../nouns/route/route.ts';
import {nounList} from '../state/source.ts';

/** The routes of all profiles. */
export const routeList = nounList('subs', routeNoun, {read: ({routes}) => routes});
