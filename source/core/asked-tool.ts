import type {ShownTool} from './approval.ts';

/** What of a tool says which server it is of, as the journal and the wire have it. */
type ServerFacts = Required<
	Pick<ShownTool, 'server' | 'host' | 'transport' | 'endpoint' | 'trust'>
>;

/** A tool of a server. */
export type FromServer = {readonly kind: 'server'} & ServerFacts;

/** Where a tool comes from: a tool server, or the program itself. */
export type ToolFrom = FromServer | {readonly kind: 'built-in'};

/** A tool as the program knows it. */
export type AskedTool = Omit<ShownTool, keyof ServerFacts | 'from'> & {readonly from: ToolFrom};

/** Which tool is meant, as rules and the memory of what was allowed have it: without server and endpoint a built-in one. */
export type ToolPlace = Pick<ShownTool, 'server' | 'endpoint'>;

/** Reads where a tool comes from. One of a server has all five facts. */
export const toolFrom = ({
	server,
	host,
	transport,
	endpoint,
	trust,
}: Pick<ShownTool, keyof ServerFacts>): ToolFrom =>
	server === undefined ||
	host === undefined ||
	transport === undefined ||
	endpoint === undefined ||
	trust === undefined
		? {kind: 'built-in'}
		: {kind: 'server', server, host, transport, endpoint, trust};

/** The tool as the journal and the wire have it. */
export function shownTool({from, profile, tool, name, ...about}: AskedTool): ShownTool {
	switch (from.kind) {
		case 'server': {
			const {server, transport, host, endpoint, trust} = from;
			return {server, profile, tool, name, transport, host, endpoint, trust, ...about};
		}

		case 'built-in':
			return {profile, tool, name, ...about};
	}
}

export function toolPlace(from: ToolFrom): ToolPlace {
	switch (from.kind) {
		case 'server':
			return {server: from.server, endpoint: from.endpoint};

		case 'built-in':
			return {};
	}
}

export const isSamePlace = (one: ToolPlace, other: ToolPlace): boolean =>
	one.server === other.server && one.endpoint === other.endpoint;

/** What stands behind the name of a tool: `on github-tools`, `(built in)`. Not cleaned. */
export function whereWords(from: ToolFrom): string {
	switch (from.kind) {
		case 'server':
			return `on ${from.server}`;

		case 'built-in':
			return '(built in)';
	}
}

/** Whose words the description, the schema and the claims of a tool are. */
export const speakers: Readonly<Record<ToolFrom['kind'], 'the server' | 'svc'>> = {
	server: 'the server',
	'built-in': 'svc',
};
