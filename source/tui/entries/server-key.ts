import type {Term, Vocabulary} from '../../core/filter/filter.ts';
import {numberTerm, textTerm} from '../../core/filter/terms.ts';
import {serverStatuses, type ServerView} from '../../core/tool-server.ts';

/** What a server is remembered by. */
export const serverKey = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	`${profile} ${name}`;

/** The name, with its profile where that is another one. */
export const serverName = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	profile === 'default' ? name : `${profile}/${name}`;

/** The words of the Tools filter: `server: state: transport: trust: tool: profile: tools>` and free text. */
export const serverVocabulary: Vocabulary<ServerView> = {
	terms: new Map<string, Term<ServerView>>([
		['server', textTerm(server => server.name, {says: 'its name', example: 'server:files'})],
		[
			'state',
			textTerm(server => server.status, {
				says: 'where it stands',
				example: 'state:failed',
				words: serverStatuses,
			}),
		],
		[
			'transport',
			textTerm(server => server.transport, {
				says: 'how it is reached',
				example: 'transport:stdio',
				words: ['stdio', 'http', 'sse'],
			}),
		],
		[
			'trust',
			textTerm(server => server.trust, {
				says: 'what it is trusted with',
				example: 'trust:untrusted',
			}),
		],
		[
			'tool',
			textTerm(server => server.tools.map(({tool}) => tool).join('\n'), {
				says: 'a tool that it has',
				example: 'tool:create_*',
			}),
		],
		['profile', textTerm(server => server.profile, {says: 'the profile', example: 'profile:work'})],
		[
			'tools',
			numberTerm(server => server.tools.length, {
				says: 'how many tools it has',
				example: 'tools>10',
			}),
		],
	]),
	haystack: ({name, transport, status, endpoint, trust, reason = '', tools}) =>
		[name, transport, status, endpoint, trust, reason, ...tools.map(({tool}) => tool)]
			.join('\n')
			.toLowerCase(),
};
