import {readFileSync} from 'node:fs';
import {Ajv2020} from 'ajv/dist/2020.js';

/** What is wrong with a value as a definition of that name; empty when nothing is. */
export type Oracle = (name: string, value: unknown) => readonly string[];

/** Asks the definitions (`$defs`) of a JSON Schema in this folder. */
export function oracleOf(file: string): Oracle {
	const ajv = new Ajv2020({strict: false, validateFormats: false});
	ajv.addSchema(
		JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as object,
		'schema',
	);
	return (name, value) => {
		const validate = ajv.getSchema(`schema#/$defs/${name}`);
		if (!validate) {
			throw new Error(`the specification has no ${name}`);
		}

		return validate(value) === true
			? []
			: (validate.errors ?? []).map(({instancePath, message}) => `${instancePath} ${message}`);
	};
}
