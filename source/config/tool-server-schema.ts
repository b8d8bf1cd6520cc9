import {z} from 'zod';
import {checked} from '../core/schema-parts.ts';
import {escapeLineCounting} from '../core/untrusted.ts';
import {programSettings, remoteSettings} from './endpoint-settings.ts';
import {problemsWithServer} from './tool-server-problems.ts';
import {serverSettings} from './tool-server-settings.ts';

/** Most servers: each takes memory, and may take a process. */
const maxServers = 200;
const maxNameLength = 128;

const fields = z.object({
	...programSettings.fields,
	...remoteSettings.fields,
	...serverSettings.fields,
});

/** One entry of `mcp_servers` as written. @see manual/tool-servers.md#settings, manual/tool-servers.md#which-tools-a-server-offers, manual/tool-servers.md#logins */
const toolServerSchema = fields
	.superRefine((server, context) => {
		for (const {path, message} of problemsWithServer(server)) {
			context.addIssue({code: 'custom', path: [...path], message});
		}
	})
	.meta({
		id: 'tool_server',
		description: 'A tool server: a program (command) or a remote one (url)',
		oneOf: ['command', 'url'].map(key => ({required: [key], properties: {[key]: true}})),
	});

const problemWithName = (name: string): string | undefined =>
	name.trim() !== '' &&
	name.length <= maxNameLength &&
	escapeLineCounting(name).flags === 0 &&
	!/[\n\r\t]/.test(name)
		? undefined
		: `is not a name: 1 to ${maxNameLength} characters, none of them hidden or a control`;

/** `mcp_servers`. */
export const toolServersSchema = checked(
	z.record(checked(z.string(), problemWithName), toolServerSchema),
	servers =>
		Object.keys(servers).length > maxServers
			? `must hold at most ${maxServers} servers`
			: undefined,
);

/** A checked entry as written. */
export type RawToolServer = z.output<typeof fields>;
