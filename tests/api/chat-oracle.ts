import {oracleOf} from './oracle.ts';

// The part of OpenAI's published specification (github.com/openai/openai-openapi, MIT licence, version 2.3.0) that is about chat completions, as JSON Schema: somebody
// else's word for what clients expect.
export const faultsOf = oracleOf('openai-chat.schema.json');
