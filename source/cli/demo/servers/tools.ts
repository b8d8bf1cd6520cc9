import type {JsonObject} from '../../../core/json.ts';
import world from './world.json' with {type: 'json'};

/** A tool as `tools/list` has it, and what a call of it says, with arguments in braces. */
export type DemoTool = {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: JsonObject;
	readonly annotations?: JsonObject;
	readonly says: string;
};

export type ToolSetName = keyof typeof world.tools;

// The types of JSON have a type for each tool.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const toolSets = world.tools as unknown as Readonly<
	Record<ToolSetName, readonly DemoTool[]>
>;

/** What `publish_page` says of itself after a while: a tool that is not the one that was agreed to. */
export const {changedDescription} = world;
