import type {ToolServerConfig} from '../../config/tool-server.ts';
import type {JsonObject} from '../../core/json.ts';

export type UtilityKind = 'list_resources' | 'read_resource' | 'list_prompts' | 'get_prompt';

type UtilityTool = {
	readonly capability: 'resources' | 'prompts';
	readonly description: (server: string) => string;
	readonly inputSchema: JsonObject;
};

const cursor = {
	type: 'string',
	description: 'next_cursor of the answer before, for the next page',
} as const;

const utilityTools: Readonly<Record<UtilityKind, UtilityTool>> = {
	list_resources: {
		capability: 'resources',
		description: server => `Lists resources and resource templates of tool server "${server}"`,
		inputSchema: {type: 'object', properties: {cursor}},
	},
	read_resource: {
		capability: 'resources',
		description: server => `Reads a resource of tool server "${server}" by its URI`,
		inputSchema: {
			type: 'object',
			properties: {uri: {type: 'string', description: 'A URI that list_resources named'}},
			required: ['uri'],
		},
	},
	list_prompts: {
		capability: 'prompts',
		description: server => `Lists prompts of tool server "${server}" with their arguments`,
		inputSchema: {type: 'object', properties: {cursor}},
	},
	get_prompt: {
		capability: 'prompts',
		description: server => `Gets a prompt of tool server "${server}", filled in with arguments`,
		inputSchema: {
			type: 'object',
			properties: {
				name: {type: 'string', description: 'A name that list_prompts named'},
				arguments: {type: 'object', properties: {}, additionalProperties: {type: 'string'}},
			},
			required: ['name'],
		},
	},
};

const kinds: readonly UtilityKind[] = [
	'list_resources',
	'read_resource',
	'list_prompts',
	'get_prompt',
];

/** The utility tools that the policy of `server` enables and its session supports. @see manual/tool-servers.md#which-tools-a-server-offers */
export const utilitiesOf = (
	{tools}: Pick<ToolServerConfig, 'tools'>,
	capabilities: {readonly resources: boolean; readonly prompts: boolean},
): readonly UtilityKind[] =>
	kinds.filter(kind => {
		const {capability} = utilityTools[kind];
		return tools[capability] && capabilities[capability];
	});

/** The description of a utility tool of `server` for models. */
export const describeUtility = (
	kind: UtilityKind,
	server: string,
): {readonly description: string; readonly inputSchema: JsonObject} => {
	const {description, inputSchema} = utilityTools[kind];
	return {description: description(server), inputSchema};
};
