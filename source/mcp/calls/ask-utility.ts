import type {Client, ContentBlock, RequestOptions} from '@modelcontextprotocol/client';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import type {UtilityKind} from '../catalogue/utility-tools.ts';
import type {ToolAnswer} from './render-answer.ts';

/** The most pages read for one answer, and the number of entries after which no further page is read. */
const maxPages = 10;
const enoughEntries = 200;
/** A page may contain more entries; those beyond are dropped. */
const maxEntries = 1000;

type Ask = (client: Client, args: JsonObject, options: RequestOptions) => Promise<ToolAnswer>;

/** Invalid arguments of a utility tool. The message is for the model. */
export class BadArguments extends Error {
	override readonly name = 'BadArguments';
}

/**
 * Performs a utility tool's request to a server. A list contains up to 200 entries plus the rest of their page, and says where the next page begins. Rejects with
 * `BadArguments`, and as the client does.
 */
export const askUtility = async (
	client: Client,
	{kind, args}: {readonly kind: UtilityKind; readonly args: JsonObject},
	options: RequestOptions,
): Promise<ToolAnswer> => asks[kind](client, args, options);

const asks: Readonly<Record<UtilityKind, Ask>> = {
	async list_resources(client, args, options) {
		const resources = await listPages(cursorOf(args), async params => {
			const page = await client.request({method: 'resources/list', params}, options);
			return [page.resources, page];
		});
		// Templates are listed once, with the first page.
		const templates =
			args['cursor'] === undefined ? await listTemplates(client, options) : undefined;
		return asText({
			resources: resources.entries,
			...(templates && templates.entries.length > 0 ? {resource_templates: templates.entries} : {}),
			...nextOf(resources),
		});
	},
	async read_resource(client, args, options) {
		const {contents} = await client.readResource(
			{uri: textOf(args, 'uri')},
			{...options, cacheMode: 'bypass'},
		);
		return {content: contents.map(resource => ({type: 'resource', resource}))};
	},
	async list_prompts(client, args, options) {
		const prompts = await listPages(cursorOf(args), async params => {
			const page = await client.request({method: 'prompts/list', params}, options);
			return [page.prompts, page];
		});
		return asText({prompts: prompts.entries, ...nextOf(prompts)});
	},
	async get_prompt(client, args, options) {
		const {description, messages} = await client.getPrompt(
			{name: textOf(args, 'name'), arguments: textsOf(args)},
			options,
		);
		return {
			content: [
				...(description ? [asBlock(description)] : []),
				...messages.flatMap(({role, content}) => [asBlock(`${role}:`), content]),
			],
		};
	},
};

/** Many servers do not support templates and answer with an error. */
async function listTemplates(client: Client, options: RequestOptions): Promise<Page | undefined> {
	try {
		return await listPages(undefined, async params => {
			const page = await client.request({method: 'resources/templates/list', params}, options);
			return [page.resourceTemplates, page];
		});
	} catch (error) {
		options.signal?.throwIfAborted();
		if (isUnknownMethod(error)) {
			return undefined;
		}

		throw error;
	}
}

const isUnknownMethod = (error: unknown): boolean =>
	error instanceof Error && 'code' in error && error.code === -32_601;

type Page = {readonly entries: readonly object[]; readonly next?: string | undefined};

async function listPages(
	first: string | undefined,
	read: (params: {
		cursor?: string;
	}) => Promise<readonly [readonly object[], {nextCursor?: string | undefined}]>,
): Promise<Page> {
	const entries: object[] = [];
	let cursor = first;
	for (let page = 0; page < maxPages; page += 1) {
		// oxlint-disable-next-line no-await-in-loop -- a page says where the next begins
		const [more, {nextCursor: next}] = await read(cursor === undefined ? {} : {cursor});
		entries.push(...more.slice(0, maxEntries).map(withoutMeta));
		// A server with a constant cursor would be queried forever.
		const moves = next !== undefined && next !== cursor;
		cursor = moves ? next : undefined;
		if (!moves || entries.length >= enoughEntries) {
			break;
		}
	}

	return {entries, next: cursor};
}

const nextOf = ({next}: Page): {next_cursor?: string} =>
	next === undefined ? {} : {next_cursor: next};

/** Models need neither icons nor protocol metadata. */
const withoutMeta = ({
	_meta,
	icons: _icons,
	...entry
}: {
	_meta?: unknown;
	icons?: unknown;
}): object => entry;

const asText = (value: object): ToolAnswer => ({
	content: [asBlock(JSON.stringify(value, null, 1))],
});

const asBlock = (text: string): ContentBlock => ({type: 'text', text});

function cursorOf(args: JsonObject): string | undefined {
	return args['cursor'] === undefined ? undefined : textOf(args, 'cursor');
}

function textOf(args: JsonObject, key: string): string {
	const value = args[key];
	if (typeof value !== 'string' || value === '') {
		throw new BadArguments(`The argument "${key}" must be a text`);
	}

	return value;
}

/** Converts a prompt's arguments to strings, as the protocol demands. */
function textsOf({arguments: given = {}}: JsonObject): Record<string, string> {
	if (!isJsonObject(given)) {
		throw new BadArguments('The argument "arguments" must be an object of texts');
	}

	return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, wordsOf(value)]));
}

const wordsOf = (value: JsonValue): string =>
	typeof value === 'string' ? value : JSON.stringify(value);
