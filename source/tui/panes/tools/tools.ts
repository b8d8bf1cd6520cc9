import {createMemory} from '../../../core/derive.ts';
import type {ServerStatus, ServerView} from '../../../core/tool-server.ts';
import {type Safe, escapeLine} from '../../../core/untrusted.ts';
import {serverNoun} from '../../../nouns/server/server.ts';
import {literal} from '../../../terminal/text/safe.ts';
import type {DetailSource} from '../../lines/detail.ts';
import {type Line} from '../../lines/line.ts';
import {countPart} from '../../lines/title-parts.ts';
import {listingOf, onePane} from '../../nouns/listing.ts';
import type {Host} from '../../shell/shell.ts';
import {serverDetail} from './server-detail.ts';
import {serverList, toolCommands} from './tool-commands.ts';

function createServerDetail({list, feed}: Host): DetailSource {
	const remember = createMemory<readonly Line[]>();
	const servers = list(serverList);
	return {
		lines(width) {
			const server = servers.selected();
			const {settledApprovals: calls} = feed.get().state;
			return remember([server, calls, width], () =>
				server ? serverDetail(server, {calls, width}) : [],
			);
		},
	};
}

/** The tool servers, their tools, and which calls need approval. */
export const toolsPane = onePane({
	id: 'tools',
	title: literal('Tools'),
	manual: 'tool-servers',
	empty: () => [
		'No tool servers: agents answer without tools.',
		'Add one: `svc mcp add NAME …`, or write it below mcp_servers in config.yaml.',
		'It appears here with its state, its tools, and what a call needs.',
	],
	commands: toolCommands,
	listing: listingOf({
		noun: serverNoun,
		list: serverList,
		detail: createServerDetail,
		hasCursor: true,
	}),
	summary({list, feed}) {
		const facts = serversSummary(feed.get().state.servers);
		return [
			countPart(list(serverList), {noun: [literal('server'), literal('servers')]}),
			facts === '' ? [] : [{text: facts, tone: 'quiet'}],
		];
	},
});

/** The labels of server states in the summary, in order. */
const counted: ReadonlyArray<readonly [string, ReadonlySet<ServerStatus>]> = [
	['connected', new Set(['connected'])],
	['connecting', new Set(['connecting'])],
	['lazy', new Set(['lazy'])],
	['recycled', new Set(['recycled'])],
	['login', new Set(['needs login'])],
	['error', new Set(['failed', 'parked'])],
	['skipped', new Set(['skipped'])],
];

/** `2 connected · 2 lazy · 1 error · 43 tools registered`; empty without servers. */
function serversSummary(servers: readonly ServerView[]): Safe {
	const parts = counted.flatMap(([word, statuses]) => {
		const count = servers.filter(({status}) => statuses.has(status)).length;
		return count === 0 ? [] : [`${count} ${word}`];
	});
	const tools = servers.reduce((sum, server) => sum + server.tools.length, 0);
	return escapeLine(parts.length === 0 ? '' : [...parts, `${tools} tools registered`].join(' · '));
}
