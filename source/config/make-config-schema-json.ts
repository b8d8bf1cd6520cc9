import {jsonSchemaOf} from '../core/schema-parts.ts';
import {configSchema} from './schema.ts';

/**
 * The text of the JSON Schema of `config.yaml`, without what JSON cannot say (undefined, accessors). Making it costs as much as half a start: `scripts/build/bundle.mjs` makes it
 * once and puts the text in the place of this function.
 */
export const makeConfigSchemaJson = (): string =>
	JSON.stringify({...jsonSchemaOf(configSchema), title: 'config.yaml of svc'});
