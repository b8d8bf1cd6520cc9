import {notedSchemaJson} from './config-schema-json.ts';
import {membersBySchema} from './schema-walk.ts';

/** The texts in `value` (all of `config.yaml`) under settings that are declared to be secrets, whatever they are called: also those of mappings and lists. */
export const declaredSecrets = (value: unknown): readonly string[] =>
	membersBySchema(value, notedSchemaJson())
		.filter(({schema}) => schema?.['x-secret'] === true)
		.flatMap(({value: secret}) => textsIn(secret));

const textsIn = (value: unknown): readonly string[] =>
	typeof value === 'string'
		? [value]
		: typeof value === 'object' && value !== null
			? Object.values(value).flatMap(textsIn)
			: [];
