import {routeNoun} from '../../nouns/route/route.ts';
import {nounList} from '../state/source.ts';

/** The routes of all profiles. */
export const routeList = nounList('routes', routeNoun, {read: ({routes}) => routes});
