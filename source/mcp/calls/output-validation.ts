import type {jsonSchemaValidator, JsonSchemaValidator} from '@modelcontextprotocol/client';
import {AjvJsonSchemaValidator} from '@modelcontextprotocol/client/validators/ajv';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';

/** Schemas that one engine may hold: it forgets none, and a list that changes brings new ones. */
const maxCompiled = 500;

/**
 * Keywords whose check may take for ever, and holds the whole program meanwhile: patterns of theirs on texts of theirs, references that branch at each step,
 * comparisons of each with each.
 */
const unbounded =
	/"(?:pattern|patternProperties|propertyNames|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;

/** Characters of JSON. The work of a check grows with both. */
const maxSchemaLength = 16 * 1024;
const maxAnswerLength = 256 * 1024;

/**
 * Compares what the tools of one connection answer with the schemas that they announced, each compiled once. A schema that cannot be compiled is no reason not to
 * use its tool: that is logged once, and the answer taken as it is. So is one whose check could hold the program up, and an answer above 256 kB.
 */
export function createCheckedOutput(log: Logger, server: string): jsonSchemaValidator {
	const validators = new WeakMap<object, JsonSchemaValidator<unknown>>();
	let shared = new AjvJsonSchemaValidator();
	let compiled = 0;

	const compile = (schema: Schema): JsonSchemaValidator<unknown> => {
		try {
			const text = JSON.stringify(schema);
			if (text.length > maxSchemaLength || unbounded.test(text)) {
				return anything;
			}

			// An engine knows a schema by its id, and takes the first that it saw for all others of that id.
			if (text.includes('"$id"')) {
				return bounded(new AjvJsonSchemaValidator().getValidator(schema));
			}

			if (compiled >= maxCompiled) {
				shared = new AjvJsonSchemaValidator();
				compiled = 0;
			}

			compiled += 1;
			return bounded(shared.getValidator(schema));
		} catch (error) {
			const facts = {server, error: messageOf(error)};
			log.warn('An outputSchema cannot be used: what its tool answers is not checked', facts);
			return anything;
		}
	};

	return {
		getValidator<T>(schema: Schema) {
			const validator = validators.get(schema) ?? compile(schema);
			validators.set(schema, validator);
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what T is, only the caller knows
			return validator as JsonSchemaValidator<T>;
		},
	};
}

type Schema = Parameters<jsonSchemaValidator['getValidator']>[0];

const anything: JsonSchemaValidator<unknown> = data => ({
	valid: true,
	data,
	errorMessage: undefined,
});

const bounded =
	(validator: JsonSchemaValidator<unknown>): JsonSchemaValidator<unknown> =>
	input =>
		JSON.stringify(input).length > maxAnswerLength ? anything(input) : validator(input);

/**
 * Takes what tools answer as it is. For untrusted servers: a schema of theirs would be compiled, and its patterns run over texts of theirs,
 * for as long as they like.
 */
export const uncheckedOutput: jsonSchemaValidator = {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that it is not looked at is the point
	getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
};
