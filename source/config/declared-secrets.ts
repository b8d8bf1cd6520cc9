import {notedSchemaJson} from './config-schema-json.ts';
import {membersBySchema} from './schema-walk.ts';

/** The texts in `value` (all of `config.yaml`) under settings that are declared to be secrets, whatever they are called. */
export const declaredSecrets = (value: unknown): readonly string[] =>
	membersBySchema(value, notedSchemaJson())
		.filter(({schema}) => schema?.['x-secret'] === true)
		.flatMap(member => [member.value].flat().filter(text => typeof text === 'string'));
