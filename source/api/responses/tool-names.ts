import {createHash} from 'node:crypto';
import {type JsonObject, type JsonValue, isJsonObject} from '../../core/json.ts';
import {isList, textIn, unsupported} from '../shapes/field-checks.ts';
import {offerTools, type OfferedFunction} from './tool-kinds.ts';

/** The tools that a request offers, and their names at the model's server. */
export type CallableTools = {
	/** The fields `tools` and `tool_choice` of the chat completion; empty without tools. */
	readonly fields: JsonObject;
	/** The field `tools` of the answer. */
	readonly told: readonly JsonObject[];
	/** Kinds of tools that were left out. */
	readonly leftOut: readonly string[];
	/** The name at the server of a tool in an earlier call. */
	wireName(called: {readonly name: string; readonly namespace: string}): string;
	/** The tool with this name at the server. */
	meant(wireName: string): Pick<OfferedFunction, 'kind' | 'name' | 'namespace'>;
};

/** Maximum length of a name at the server. */
const maxNameLength = 64;
const hashLength = 8;

/** @throws ApiError 400 when `tool_choice` names a missing tool */
export function createToolNames({tools, tool_choice: choice}: JsonObject): CallableTools {
	const {offered, leftOut} = offerTools(tools);
	const all = offered.flatMap(({functions}) => functions);
	const wireName = wireNamesOf(all);
	const byWireName = new Map(all.map(one => [wireName(one), one]));
	const {mode, only} = chosen(choice, all);
	const functions = all.filter(one => !only || only.has(one));
	return {
		fields:
			functions.length === 0
				? {}
				: {
						tools: functions.map(one => functionTool(one, wireName(one))),
						...(mode !== undefined && {
							tool_choice:
								typeof mode === 'string'
									? mode
									: {type: 'function', function: {name: wireName(mode)}},
						}),
					},
		told: offered.map(({told}) => told),
		leftOut,
		wireName,
		meant: name => byWireName.get(name) ?? {kind: 'function', name},
	};
}

type Called = {readonly name: string; readonly namespace?: string};

/** Names for the server. If two would be equal, a tool without a namespace keeps the name, otherwise the first; the others get a hash of namespace and name. */
function wireNamesOf(all: readonly Called[]): (called: Called) => string {
	const owners = new Map<string, string>();
	const names = new Map<string, string>();
	const isInside = ({namespace = ''}: Called) => namespace !== '';
	for (const one of [...all.filter(each => !isInside(each)), ...all.filter(isInside)]) {
		const key = calledKey(one);
		const usual = wireNameOf(one);
		const own = (owners.get(usual) ?? key) === key ? usual : hashed(usual, key);
		owners.set(own, key);
		names.set(key, own);
	}

	return called => names.get(calledKey(called)) ?? wireNameOf(called);
}

const calledKey = ({name, namespace = ''}: Called): string => keyOf(namespace, name);

const wireNameOf = ({name, namespace = ''}: Called): string => {
	const whole = namespace === '' ? name : `${namespace}__${name}`;
	return namespace === '' || whole.length <= maxNameLength ? whole : hashed(whole, whole);
};

const hashed = (name: string, of: string): string =>
	`${name.slice(0, maxNameLength - hashLength - 1)}_${createHash('sha256').update(of).digest('hex').slice(0, hashLength)}`;

const functionTool = (
	{description, parameters, strict}: OfferedFunction,
	name: string,
): JsonObject => {
	return {
		type: 'function',
		function: {
			name,
			...(description !== undefined && {description}),
			...(parameters && {parameters}),
			...(strict !== undefined && {strict}),
		},
	};
};

type Choice = {
	readonly mode?: string | OfferedFunction;
	/** Absent when all tools are allowed. */
	readonly only?: ReadonlySet<OfferedFunction>;
};

function chosen(choice: JsonValue | undefined, all: readonly OfferedFunction[]): Choice {
	if (typeof choice === 'string') {
		if (choice === 'required' && all.length === 0) {
			throw unsupported('tool_choice', 'there is no function in "tools" that could be called');
		}

		return {mode: choice};
	}

	if (!isJsonObject(choice)) {
		return {};
	}

	const find = finder(all);
	if (choice['type'] === 'allowed_tools') {
		const listed: readonly JsonValue[] = isList(choice['tools']) ? choice['tools'] : [];
		return {
			mode: textIn(choice['mode']) || 'auto',
			only: new Set(listed.map((one, index) => find(one, `tool_choice.tools[${index}]`))),
		};
	}

	return {mode: find(choice, 'tool_choice')};
}

/** Finds the tool that a choice means; without a namespace, the first with that name. Tools of a left-out kind cannot be chosen. */
function finder(all: readonly OfferedFunction[]) {
	const known = new Map<string, OfferedFunction>();
	// In reverse, so that the first tool with a name wins.
	for (const one of all.toReversed()) {
		known.set(keyOf(one.kind, one.name), one);
		known.set(keyOf(one.kind, one.name, one.namespace ?? ''), one);
	}

	return (choice: JsonValue, path: string): OfferedFunction => {
		const {type, name, namespace = null} = isJsonObject(choice) ? choice : {};
		const tool = known.get(namespace === null ? keyOf(type, name) : keyOf(type, name, namespace));
		if (!tool) {
			throw unsupported(path, 'it is no function of "tools", and nothing else can be called here');
		}

		return tool;
	};
}

const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts);
