import type {ServerView} from '../../../core/tool-server.ts';
import type {Term, Vocabulary} from '../../filter/filter.ts';
import {numberTerm, textTerm} from '../../filter/terms.ts';

/** What a server is remembered by. */
export const serverKey = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	`${profile} ${name}`;

/** The name, with its profile where that is another one. */
export const serverName = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	profile === 'default' ? name : `${profile}/${name}`;

/** The words of the Tools filter: `server: state: transport: trust: tool: profile: tools>` and free text. */
export const serverVocabulary: Vocabulary<ServerView> = {
	terms: new Map<string, Term<ServerView>>([
		['server', textTerm(server => server.name)],
		['state', textTerm(server => server.status)],
		['transport', textTerm(server => server.transport)],
		['trust', textTerm(server => server.trust)],
		['tool', textTerm(server => server.tools.map(({tool}) => tool).join('\n'))],
		['profile', textTerm(server => server.profile)],
		['tools', numberTerm(server => server.tools.length, {'': 1})],
	]),
	haystack: ({name, transport, status, endpoint, trust, reason = '', tools}) =>
		[name, transport, status, endpoint, trust, reason, ...tools.map(({tool}) => tool)]
			.join('\n')
			.toLowerCase(),
};
