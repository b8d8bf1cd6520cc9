import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {
	isList,
	objectCheck,
	required,
	textCheck,
	textIn,
	booleanCheck,
	listOf,
	type FieldCheck,
} from '../shapes/field-checks.ts';

/** A tool in terms of functions, which are all that a model's server knows. */
type Offered = {
	/** The tool as in the request, with all fields that an answer must have. */
	readonly told: JsonObject;
	/** The function for the tool, or those for the tools in a namespace. */
	readonly functions: readonly OfferedFunction[];
};

export type OfferedFunction = {
	readonly kind: 'function' | 'custom';
	readonly name: string;
	readonly namespace?: string;
	readonly description?: string;
	readonly parameters?: JsonObject;
	readonly strict?: boolean;
};

type ToolKind = {
	readonly check: FieldCheck;
	offer(tool: JsonObject): Offered;
};

const functionKind: ToolKind = {
	check: objectCheck({
		name: required(textCheck),
		description: textCheck,
		parameters: objectCheck({}),
		strict: booleanCheck,
	}),
	offer(tool) {
		const {name, description = null, parameters = null, strict = null} = tool;
		return {
			told: {type: 'function', name: textIn(name), description, parameters, strict},
			functions: [
				{
					kind: 'function',
					name: textIn(name),
					...(typeof description === 'string' && {description}),
					...(isJsonObject(parameters) && {parameters}),
					...(typeof strict === 'boolean' && {strict}),
				},
			],
		};
	},
};

/** A tool that takes a text: represented by a function whose only argument is that text. */
const customKind: ToolKind = {
	check: objectCheck({name: required(textCheck), description: textCheck, format: objectCheck({})}),
	offer(tool) {
		const {name, description, format} = tool;
		const grammar =
			isJsonObject(format) && typeof format['definition'] === 'string'
				? `"input" follows this grammar (${textIn(format['syntax'])}):\n${format['definition']}`
				: '';
		return {
			told: {
				type: 'custom',
				name: textIn(name),
				...(typeof description === 'string' && {description}),
				...(isJsonObject(format) && {format}),
			},
			functions: [
				{
					kind: 'custom',
					name: textIn(name),
					description: [textIn(description), grammar].filter(part => part !== '').join('\n\n'),
					parameters: {
						type: 'object',
						properties: {input: {type: 'string'}},
						required: ['input'],
						additionalProperties: false,
					},
				},
			],
		};
	},
};

const insideKinds: Readonly<Record<string, ToolKind>> = {
	function: functionKind,
	custom: customKind,
};

/** A namespace of tools, as sent by Codex for its agents. */
const namespaceKind: ToolKind = {
	check: objectCheck({
		name: required(textCheck),
		description: textCheck,
		tools: required(listOf((value, path) => checkTool(value, {path, kinds: insideKinds}))),
	}),
	offer(tool) {
		const {name, description = null, tools} = tool;
		const inside = objectsIn(tools).flatMap(one => {
			const kind = insideKinds[textIn(one['type'])];
			return kind ? [kind.offer(one)] : [];
		});
		return {
			told: {
				type: 'namespace',
				name: textIn(name),
				description,
				tools: inside.map(({told}) => told),
			},
			functions: inside.flatMap(({functions}) =>
				functions.map(one => ({...one, namespace: textIn(name)})),
			),
		};
	},
};

const toolKinds: Readonly<Record<string, ToolKind>> = {
	...insideKinds,
	namespace: namespaceKind,
};

function checkTool(
	value: JsonValue,
	{path, kinds}: {readonly path: string; readonly kinds: Readonly<Record<string, ToolKind>>},
): void {
	objectCheck({type: required(textCheck)})(value, path);
	const type = isJsonObject(value) ? textIn(value['type']) : '';
	(Object.hasOwn(kinds, type) ? kinds[type] : undefined)?.check(value, path);
}

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
	isList(value) ? value.filter(isJsonObject) : [];

/** Checks `tools`: tools of an unknown kind, such as `web_search`, run at the provider and are left out. */
export const toolsCheck: FieldCheck = listOf((value, path) =>
	checkTool(value, {path, kinds: toolKinds}),
);

/** @param tools checked before */
export function offerTools(tools: JsonValue | undefined): {
	readonly offered: readonly Offered[];
	/** Kinds of tools that were left out. */
	readonly leftOut: readonly string[];
} {
	const all = objectsIn(tools).map(tool => {
		const type = textIn(tool['type']);
		const kind = Object.hasOwn(toolKinds, type) ? toolKinds[type] : undefined;
		return {type, offered: kind?.offer(tool)};
	});
	return {
		offered: all.flatMap(({offered}) => offered ?? []),
		leftOut: [...new Set(all.filter(({offered}) => !offered).map(({type}) => type))],
	};
}
