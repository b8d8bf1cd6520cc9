import {
	type ArgumentNode,
	buildSchema,
	type DocumentNode,
	ExecutableDefinitionsRule,
	FieldsOnCorrectTypeRule,
	type FieldNode,
	Kind,
	OperationTypeNode,
	FragmentsOnCompositeTypesRule,
	KnownDirectivesRule,
	KnownFragmentNamesRule,
	KnownTypeNamesRule,
	MaxIntrospectionDepthRule,
	NoFragmentCyclesRule,
	NoUndefinedVariablesRule,
	type OperationDefinitionNode,
	parse,
	PossibleFragmentSpreadsRule,
	print,
	ScalarLeafsRule,
	UniqueArgumentNamesRule,
	UniqueFragmentNamesRule,
	UniqueVariableNamesRule,
	validate,
	visit,
} from 'graphql';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {forgeSchema} from './forge-schema.ts';
import type {ForgeRepository} from './judge-request.ts';

type QueryVerdict =
	/** `body` may be sent: it is rewritten from the checked query. `nodes`: identifiers that must belong to the repository. */
	| {readonly ok: true; readonly body: string; readonly nodes: readonly string[]}
	| {readonly ok: false; readonly reason: string};

const schema = buildSchema(forgeSchema, {assumeValidSDL: true});

/** Rules that decide which objects a query reaches. Arguments below `repository` are not checked. */
const rules = [
	ExecutableDefinitionsRule,
	UniqueFragmentNamesRule,
	KnownFragmentNamesRule,
	NoFragmentCyclesRule,
	KnownTypeNamesRule,
	FragmentsOnCompositeTypesRule,
	PossibleFragmentSpreadsRule,
	FieldsOnCorrectTypeRule,
	ScalarLeafsRule,
	KnownDirectivesRule,
	UniqueArgumentNamesRule,
	UniqueVariableNamesRule,
	NoUndefinedVariablesRule,
	MaxIntrospectionDepthRule,
];

const maxTokens = 10_000;
const maxNodes = 5;
/** Deeper queries would take long to check. */
const maxDepth = 50;

/**
 * Judges the body of a GraphQL request: it may only contain queries for fields of `forgeSchema` in this repository, named literally or by variables. `__type` is
 * allowed, because `gh` uses it to detect a server's features.
 *
 * @param body JSON text
 */
export function judgeQuery(body: string, repository: ForgeRepository): QueryVerdict {
	let asked: JsonObject;
	let document: DocumentNode;
	try {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed
		const parsed = JSON.parse(body) as JsonValue;
		asked = isJsonObject(parsed) ? parsed : {};
		// Without a query the text is empty, which `parse` refuses below.
		const query = typeof asked['query'] === 'string' ? asked['query'] : '';
		if (depthOf(query) > maxDepth) {
			return refused(`it is nested more than ${maxDepth} deep`);
		}

		document = parse(query, {maxTokens, noLocation: true});
	} catch {
		return refused('its body is no GraphQL request that can be read');
	}

	const {variables = null, operationName = null} = asked;
	if (
		(variables !== null && !isJsonObject(variables)) ||
		(operationName !== null && typeof operationName !== 'string')
	) {
		return refused('its variables are no object');
	}

	const operations = document.definitions.filter(
		definition => definition.kind === Kind.OPERATION_DEFINITION,
	);
	if (operations.some(({operation}) => operation !== OperationTypeNode.QUERY)) {
		return refused('only queries may be sent');
	}

	const [error] = validate(schema, document, rules, {maxErrors: 1, hideSuggestions: true});
	if (error) {
		return refused(error.message);
	}

	return lookAtFields(
		{document, operations, variables: variables ?? {}, operationName},
		repository,
	);
}

type AskedQuery = {
	readonly document: DocumentNode;
	readonly operations: readonly OperationDefinitionNode[];
	readonly variables: JsonObject;
	readonly operationName: string | null;
};

function lookAtFields(
	{document, operations, variables, operationName}: AskedQuery,
	{owner, name}: ForgeRepository,
): QueryVerdict {
	/** All values of an argument in any operation; `undefined` for one that is not text. */
	const textsOf = (argument: ArgumentNode | undefined): ReadonlyArray<string | undefined> => {
		const value = argument?.value;
		if (value?.kind !== Kind.VARIABLE) {
			return [value?.kind === Kind.STRING ? value.value : undefined];
		}

		const variable = value.name.value;
		if (Object.hasOwn(variables, variable)) {
			const given = variables[variable];
			return [typeof given === 'string' ? given : undefined];
		}

		return operations
			.flatMap(({variableDefinitions = []}) => variableDefinitions)
			.filter(definition => definition.variable.name.value === variable)
			.map(({defaultValue}) =>
				defaultValue?.kind === Kind.STRING ? defaultValue.value : undefined,
			);
	};

	const valuesOf = (field: FieldNode, argument: string) =>
		textsOf(field.arguments?.find(one => one.name.value === argument));

	const isAlways = (field: FieldNode, argument: string, expected: string): boolean =>
		valuesOf(field, argument).every(text => text?.toLowerCase() === expected.toLowerCase());
	const nodes = new Set<string | undefined>();
	let refusal: string | undefined;
	visit(document, {
		Field(field) {
			switch (field.name.value) {
				case 'repository':
					if (!isAlways(field, 'owner', owner) || !isAlways(field, 'name', name)) {
						refusal ??= `it asks for another repository than ${owner}/${name}`;
					}

					break;
				case 'node':
					for (const id of valuesOf(field, 'id')) {
						nodes.add(id);
					}

					break;
				case '__schema':
					refusal ??= 'it asks for the whole schema';
					break;
				default:
			}
		},
	});
	const ids = [...nodes].filter(id => id !== undefined);
	if (nodes.has(undefined) || nodes.size > maxNodes) {
		refusal ??= 'it names a node by no text, or too many of them';
	}

	const sent = {query: print(document), variables, operationName: operationName ?? undefined};
	return refusal === undefined
		? {ok: true, body: JSON.stringify(sent), nodes: ids}
		: refused(refusal);
}

/** An upper bound of the nesting depth: counts braces in texts too. */
function depthOf(query: string): number {
	let depth = 0;
	let deepest = 0;
	for (const character of query) {
		depth += character === '{' ? 1 : character === '}' ? -1 : 0;
		deepest = Math.max(deepest, depth);
	}

	return deepest;
}

const refused = (reason: string): QueryVerdict => ({ok: false, reason});
