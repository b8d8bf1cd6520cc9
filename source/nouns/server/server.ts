import {numberTerm, termsOf, textTerm} from '../../core/filter/terms.ts';
import {countOf} from '../../core/names.ts';
import {
	serverStatuses,
	type ServerStatus,
	type ServerToolView,
	type ServerView,
} from '../../core/tool-server.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {ageText, printableTime} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, type Fact, type Noun, type Tone} from '../noun.ts';

/** A tool server as known by a running gateway, or without one from the configuration and the cache. */
export type ListedServer = Omit<ServerView, 'status' | 'since'> & {
	/** `not running`: there is no gateway to keep a connection. */
	readonly status: ServerStatus | 'not running';
	readonly since?: number;
	/** Without a gateway: when the tools were last listed, in milliseconds since 1970; absent: never. */
	readonly savedAt?: number;
};

/** A server's unique key. */
export const serverKey = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	`${profile} ${name}`;

/** The name, prefixed by its profile if it is another one. */
export const serverName = ({profile, name}: Pick<ServerView, 'profile' | 'name'>): string =>
	profile === 'default' ? name : `${profile}/${name}`;

/** Each state with its sign: never the colour alone. */
export const serverWords: Readonly<
	Record<ListedServer['status'], {readonly text: Safe; readonly tone: Tone}>
> = {
	skipped: {text: literal('- skipped'), tone: 'quiet'},
	lazy: {text: literal('○ lazy'), tone: 'quiet'},
	connecting: {text: literal('◐ connecting'), tone: 'accent'},
	connected: {text: literal('● connected'), tone: 'good'},
	'needs login': {text: literal('! needs login'), tone: 'warn'},
	failed: {text: literal('✗ failed'), tone: 'bad'},
	parked: {text: literal('✗ parked'), tone: 'bad'},
	recycled: {text: literal('○ recycled'), tone: 'quiet'},
	'not running': {text: literal('- not running'), tone: 'quiet'},
};

/** Whether a server stays unusable until a person acts. */
export const needsPerson = ({status}: Pick<ListedServer, 'status'>): boolean =>
	status === 'needs login' || status === 'parked' || status === 'failed';

/** Whether a tool may change something: it does not claim to be read-only, or its claim does not count. */
export const mayChange = ({claims, asks}: Pick<ServerToolView, 'asks' | 'claims'>): boolean =>
	claims.readOnly !== true || asks;

/** How many of its tools need approval. */
export const askingIn = ({tools}: Pick<ListedServer, 'tools'>): number =>
	tools.filter(({asks}) => asks).length;

/** `14 of 38`, if the filter or the models' limits exclude some. */
function toolsText({tools, offered}: ListedServer): string {
	if (tools.length === 0 && offered === 0) {
		return '-';
	}

	return offered > tools.length ? `${tools.length} of ${offered}` : String(tools.length);
}

const timeOf = (at: number | undefined): string | undefined =>
	at === undefined ? undefined : printableTime(at);

/** Its address, its transport, and why it is not connected. */
export const serverFacts = (server: ListedServer): readonly Fact[] => [
	{text: server.endpoint},
	...fact('sandbox', server.sandbox),
	...fact('filter', server.filter),
	...fact('protocol', server.protocol),
	...fact('server', server.serverInfo),
	...fact('ping', server.pingMs === undefined ? undefined : `${Math.round(server.pingMs)} ms`),
	...fact('calls', server.activeCalls === 0 ? undefined : `${server.activeCalls} under way`),
	...fact('why', server.reason),
	...fact('stderr', server.stderr),
	...server.warnings.map(warning => ({text: `! ${warning}`, tone: 'warn'}) as const),
];

/** A server's tools. `offered`: how many it has before filtering. */
export function serverToolFacts({
	tools,
	offered,
}: Pick<ListedServer, 'offered' | 'tools'>): readonly Fact[] {
	if (tools.length === 0) {
		return [
			{
				title:
					offered === 0
						? 'No tools are known'
						: `None of its ${countOf(offered, 'tool')} is registered`,
			},
		];
	}

	const asking = askingIn({tools});
	return [
		{
			title: `${countOf(tools.length, 'tool')} (it offers ${offered}), ${asking === 0 ? 'none of which asks' : `${asking} of which ${asking === 1 ? 'asks' : 'ask'}`} a person first`,
		},
		...tools.map(tool => ({text: toolText(tool)})),
	];
}

const maxAboutLength = 60;

function toolText({name, asks, changed, args, description}: ServerToolView): string {
	const [first = ''] = description.split('\n');
	const about = first.length > maxAboutLength ? `${first.slice(0, maxAboutLength)}…` : first;
	const marks = [...(asks ? ['asks'] : []), ...(changed ? ['changed'] : [])];
	return [
		`${name}(${args.join(', ')})`,
		...(marks.length > 0 ? [`[${marks.join(', ')}]`] : []),
		...(about === '' ? [] : [about]),
	].join('  ');
}

/** A tool server. @see manual/tool-servers.md */
export const serverNoun: Noun<ListedServer> = {
	one: 'tool server',
	many: 'tool servers',
	argument: 'name',
	missing: 'server_not_found',
	id: serverKey,
	name: serverName,
	sign: server => (needsPerson(server) || server.tools.some(({changed}) => changed) ? '!' : ' '),
	columns: [
		mainColumn(
			'name',
			{least: 8, most: 28},
			{label: 'server', value: serverName, printed: ({name}) => name},
		),
		column('profile', 0, ({profile}) => profile),
		mainColumn('transport', width => (width >= 60 ? 9 : 5), {
			label: (_shown, room) => (room < 9 ? 'by' : 'transport'),
			value: ({transport}) => transport,
		}),
		column('status', 18, {
			label: 'state',
			value: ({status, since = 0}, {now}) =>
				`${serverWords[status].text} ${status === 'skipped' ? '' : ageText(now - since)}`,
			tone: ({status}) => serverWords[status].tone,
			printed: ({status}) => status,
		}),
		column('tools', 9, {value: toolsText, printed: ({tools}) => String(tools.length)}),
		column('ask', 0, server => String(askingIn(server))),
		column('trust', 9, {
			value: ({status, trust}) => (status === 'skipped' ? 'disabled' : trust),
			printed: ({trust}) => trust,
		}),
		column('endpoint', 0, ({endpoint}) => endpoint),
	],
	/** The server's name is left out: it is already in the row. */
	note({name, reason, nextAttemptAt}, {now}) {
		const next =
			nextAttemptAt === undefined || nextAttemptAt <= now
				? ''
				: ` · again in ${ageText(nextAttemptAt - now)}`;
		return reason && `${reason.replace(`MCP server '${name}': `, '')}${next}`;
	},
	printed: {
		columns: ['name', 'profile', 'status', 'tools', 'ask', 'trust', 'transport', 'endpoint'],
		whole: ['name', 'status'],
		optional: ['transport', 'profile'],
		empty: 'No tool servers yet: add one with "svc mcp add"',
	},
	factCells: 10,
	head: ({name, status}) => [{text: name, tone: 'strong'}, {text: status}],
	facts: server => [
		...serverFacts(server),
		...fact('since', timeOf(server.since)),
		...fact('next try', timeOf(server.nextAttemptAt)),
		...fact('transport', server.transport),
		...fact('trust', server.trust),
		...fact('profile', server.profile === 'default' ? undefined : server.profile),
		...serverToolFacts(server),
		...(server.savedAt === undefined
			? []
			: [{title: `As of ${printableTime(server.savedAt)}, when it was connected`}]),
	],
	vocabulary: {
		terms: termsOf<ListedServer>({
			server: textTerm(({name}) => name, {says: 'its name', example: 'server:files'}),
			state: textTerm(({status}) => status, {
				says: 'its state',
				example: 'state:failed',
				words: serverStatuses,
			}),
			transport: textTerm(({transport}) => transport, {
				says: 'its transport',
				example: 'transport:stdio',
				words: ['stdio', 'http', 'sse'],
			}),
			trust: textTerm(({trust}) => trust, {
				says: 'its trust',
				example: 'trust:untrusted',
			}),
			tool: textTerm(({tools}) => tools.map(({tool}) => tool).join('\n'), {
				says: 'one of its tools',
				example: 'tool:create_*',
			}),
			profile: textTerm(({profile}) => profile, {says: 'the profile', example: 'profile:work'}),
			tools: numberTerm(({tools}) => tools.length, {
				says: 'the number of its tools',
				example: 'tools>10',
			}),
		}),
		haystack: ({name, transport, status, endpoint, trust, reason = '', tools}) =>
			[name, transport, status, endpoint, trust, reason, ...tools.map(({tool}) => tool)]
				.join('\n')
				.toLowerCase(),
	},
};
