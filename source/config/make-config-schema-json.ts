import {jsonSchemaOf} from '../core/schema-parts.ts';
import {configSchema} from './schema.ts';

/**
 * The text of the JSON Schema of `config.yaml`, without values that JSON lacks (undefined, accessors). Making it costs half a start: `scripts/build/bundle.mjs` makes it
 * once and replaces this function by the text.
 */
export const makeConfigSchemaJson = (): string =>
	JSON.stringify({...jsonSchemaOf(configSchema), title: 'config.yaml of svc'});
