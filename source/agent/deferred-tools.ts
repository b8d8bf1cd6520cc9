import type {LanguageModelMiddleware} from 'ai';
import {deferralOf, schemaTokens} from '../core/deferral.ts';
import {maxToolsOfRun, type Tool} from '../core/tool.ts';
import type {ModelCallOptions} from './providers.ts';
import {noSuchTool} from './record-steps.ts';
import {toolSearch} from './tool-search.ts';

/** Tools of a run that a model sees only after searching for them. */
export type DeferredTools = {
	/** All tools of the run, and `tool_search`: any of them may be called. */
	readonly tools: readonly Tool[];
	/** Number of deferred tools. */
	readonly count: number;
	/** Says for a person how many are deferred, and why. */
	readonly note: string;
	/** Names of the tools in the next request, in its order: tools loaded later come later. */
	active(): readonly string[];
	/** Loads these tools, best first; returns the names of those that there was room for. */
	load(names: readonly string[]): readonly string[];
	/** Loads tools that the model has called by name, and marks them as called. */
	called(names: readonly string[]): void;
};

type Loaded = {readonly tokens: number; named: number; isCalled: boolean};

/** Minimum room for found tools, even if the limit is lower, in tokens. */
const leastTokens = 4000;

/**
 * Defers the tools of servers if all tools together exceed what a request may contain: `maxSchemaTokens` tokens of names, descriptions and schemas, or 128 functions.
 * `undefined` when nothing is deferred. The active tools keep to the same limits; when there is no room, tools that were never called are evicted first, the longest unused
 * first. The first tool of a load always fits, whatever its size. tests/agent/deferred-tools.test.ts
 *
 * @see manual/tool-servers.md#many-tools
 */
export function deferTools(
	tools: readonly Tool[],
	maxSchemaTokens: number,
): DeferredTools | undefined {
	const weighed = tools.map(tool => ({
		tool,
		isOfServer: isOfServer(tool),
		tokens: schemaTokens(tool),
	}));
	const note = deferralOf(weighed, maxSchemaTokens);
	if (note === undefined) {
		return undefined;
	}

	const deferred = tools.filter(isOfServer);
	const always = tools.filter(tool => !isOfServer(tool));
	const tokensOf = new Map(deferred.map(tool => [tool.name, schemaTokens(tool)]));
	const loaded = new Map<string, Loaded>();
	let turn = 0;
	const load = (names: readonly string[], {isCalled = false} = {}): readonly string[] => {
		turn += 1;
		const placed = new Set<string>();
		// Tools already loaded keep their place: another order would invalidate the cached prompt.
		const kept = new Set(names.filter(name => loaded.has(name)));
		for (const name of names) {
			const tokens = tokensOf.get(name);
			if (tokens !== undefined && makeRoom({name, tokens, isFirst: placed.size === 0}, kept)) {
				const wasCalled = loaded.get(name)?.isCalled === true;
				loaded.set(name, {tokens, named: turn, isCalled: isCalled || wasCalled});
				placed.add(name);
				kept.add(name);
			}
		}

		return [...placed];
	};
	const search = toolSearch(deferred, load);
	const room = {
		tools: maxToolsOfRun - always.length - 1,
		tokens:
			Math.max(maxSchemaTokens, leastTokens) -
			[...always, search].reduce((sum, tool) => sum + schemaTokens(tool), 0),
	};

	/** Evicts tools other than `kept` to make room; evicts nothing, and returns `false`, if that would not be enough. */
	function makeRoom(
		{name, tokens, isFirst}: {name: string; tokens: number; isFirst: boolean},
		kept: ReadonlySet<string>,
	): boolean {
		const others = [...loaded].filter(([other]) => other !== name);
		const going = others
			.filter(([other]) => !kept.has(other))
			.toSorted(
				([, one], [, other]) =>
					Number(one.isCalled) - Number(other.isCalled) || one.named - other.named,
			);
		let left = {
			tools: room.tools - others.length - 1,
			tokens: room.tokens - others.reduce((sum, [, other]) => sum + other.tokens, tokens),
		};
		const gone: string[] = [];
		for (const [other, {tokens: freed}] of going) {
			if (left.tools >= 0 && left.tokens >= 0) {
				break;
			}

			gone.push(other);
			left = {tools: left.tools + 1, tokens: left.tokens + freed};
		}

		const fits = (left.tools >= 0 && left.tokens >= 0) || isFirst;
		for (const other of fits ? gone : []) {
			loaded.delete(other);
		}

		return fits;
	}

	return {
		tools: [...tools, search],
		count: deferred.length,
		note,
		active: () => [...always.map(({name}) => name), search.name, ...loaded.keys()],
		load,
		called: names => load([...new Set(names)], {isCalled: true}),
	};
}

const isOfServer = ({asked}: Tool): boolean => asked?.from.kind === 'server';

type ToolMessage = Extract<ModelCallOptions['prompt'][number], {readonly role: 'tool'}>;

/**
 * Sends only active tools, in order, and loads those that the model calls by name. The SDK knows all tools, since it would not run others; with its own `activeTools`, a
 * call of an inactive tool would count as one of a missing tool. Its answer to such a call lists all tools, which is too long here.
 */
export const sendActive = (deferred: DeferredTools): LanguageModelMiddleware => ({
	specificationVersion: 'v4',
	async transformParams({params}) {
		const {tools = []} = params;
		const byName = new Map(tools.map(tool => [tool.name, tool]));
		const active = deferred.active();
		const unknown = (name: string) => ({
			type: 'error-text' as const,
			value: `${noSuchTool(name, active, [...byName.keys()])}; tool_search finds ${deferred.count} more`,
		});
		const answered = (part: ToolMessage['content'][number]) =>
			part.type === 'tool-result' && !byName.has(part.toolName)
				? {...part, output: unknown(part.toolName)}
				: part;
		return {
			...params,
			tools: active.flatMap(name => byName.get(name) ?? []),
			prompt: params.prompt.map(message =>
				message.role === 'tool' ? {...message, content: message.content.map(answered)} : message,
			),
		};
	},
	async wrapGenerate({doGenerate}) {
		const generated = await doGenerate();
		deferred.called(
			generated.content.flatMap(part => (part.type === 'tool-call' ? [part.toolName] : [])),
		);
		return generated;
	},
});
