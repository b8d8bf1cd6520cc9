import {z} from 'zod';
import {readHostRule} from '../core/host-list.ts';
import {checked, nonEmptyText, setting, wholeNumber} from '../core/schema-parts.ts';
import {defineSettings, section} from '../core/settings.ts';

/** A list of hosts, as people write it. */
export const hostTexts = z.array(
	checked(nonEmptyText, text =>
		readHostRule(text)
			? undefined
			: 'is not a host: write a name, *.name or an address, with :port for another port than 80 and 443',
	),
);

export const hostRulesOf = (texts: readonly string[]) =>
	texts.flatMap(text => readHostRule(text) ?? []);

/** `toolsets.web`. @see manual/web.md */
const webSettings = defineSettings({
	hosts: setting(hostTexts, {
		description:
			'Hosts that `web_fetch` may ask: a name, `*.name` for those below it, `*` for any; with `:port` for another port than 80 and 443. Public addresses only, whatever is listed',
		default: ['*'],
		to: hostRulesOf,
	}),
});

/** The settings of the toolsets that have some, by the name of the toolset. */
export const toolsetSettings = {web: webSettings} as const;

export type ToolsetName = keyof typeof toolsetSettings;

/** `toolsets.<name>`. `broken`: why the toolset cannot be used; nothing else here counts then. */
export type ToolsetsConfig = {
	readonly [Name in ToolsetName]: ReturnType<(typeof toolsetSettings)[Name]['read']> & {
		readonly broken?: string;
	};
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the record
export const toolsetNames = Object.keys(toolsetSettings) as readonly ToolsetName[];

/** What stands in where `toolsets` cannot be read, or says nothing. */
export const toolsetsWithout = (broken?: string): ToolsetsConfig =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each name
	Object.fromEntries(
		toolsetNames.map(name => [
			name,
			{...toolsetSettings[name].read({}), ...(broken !== undefined && {broken})},
		]),
	) as ToolsetsConfig;

/** `toolsets` of the file. */
export const toolsetsSchema = z
	.object({web: section(webSettings, 'Pages of the web')})
	.nullish()
	.transform((written): ToolsetsConfig => written ?? toolsetsWithout())
	.meta({description: 'Tools that svc brings itself'});

/** `tools`. @see manual/tool-servers.md#many-tools */
export const toolsSettings = defineSettings({
	max_schema_tokens: setting(wholeNumber(0, 10_000_000), {
		description:
			'Tokens (four characters each) of the tools of a run, above which the model [finds them by searching](tool-servers.md#many-tools)',
		default: 20_000,
	}),
});
