import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** A page of the manual. */
export type ManualPage = {
	/** The name of its file, which `svc help` takes. */
	readonly topic: string;
	/** Its first heading. */
	readonly title: string;
	/** Markdown. */
	readonly text: string;
};

/** Next to the bundle, or in the sources. */
const folder = ['manual/', '../../manual/']
	.map(path => fileURLToPath(new URL(path, import.meta.url)))
	.find(path => existsSync(path));

/** The manual's topics in alphabetical order. */
export const manualTopics = (): readonly string[] =>
	(folder === undefined ? [] : readdirSync(folder))
		.filter(name => name.endsWith('.md'))
		.map(name => name.slice(0, -'.md'.length))
		.toSorted();

/** The page of `topic`; `undefined` if it does not exist. */
export function readManualPage(topic: string): ManualPage | undefined {
	if (!manualTopics().includes(topic)) {
		return undefined;
	}

	const text = readFileSync(`${folder}${topic}.md`, 'utf8');
	return {topic, title: /^# (.*)$/m.exec(text)?.[1] ?? topic, text};
}

/** At most three topics, those whose pages contain `word` most often first. */
export const topicsAbout = (word: string): readonly string[] =>
	manualTopics()
		.map(topic => ({
			topic,
			count: (readManualPage(topic)?.text.toLowerCase().split(word.toLowerCase()).length ?? 1) - 1,
		}))
		.filter(({count}) => count > 0)
		.toSorted((one, other) => other.count - one.count)
		.slice(0, 3)
		.map(({topic}) => topic);

/** A setting in one of the manual's tables. */
type ManualSetting = {readonly name: string; readonly says: string; readonly topic: string};

let settings: readonly ManualSetting[] | undefined;

/** The settings in the manual's tables; of a setting on two pages, the one on the page about its subject. The pages are read once, at the first call. */
export function manualSettings(): readonly ManualSetting[] {
	settings ??= [
		...new Map(
			// A subject's own page comes after the overview of all files, and overrides it.
			manualTopics()
				.toSorted((one, other) => Number(other === overviewTopic) - Number(one === overviewTopic))
				.flatMap(topic => settingsOn(topic, readManualPage(topic)?.text ?? ''))
				.map(setting => [setting.name, setting]),
		).values(),
	];
	return settings;
}

const overviewTopic = 'configuration';

/** The rows of tables generated from the declarations of settings. */
const settingsOn = (topic: string, text: string): readonly ManualSetting[] =>
	[...text.matchAll(/^<!-- table: settings ([^\n]+) -->$(.*?)^<!-- \/table -->$/gms)].flatMap(
		([, path = '', rows = '']) =>
			[...rows.matchAll(/^\| `([^`]+)`[^|]*\|(?:[^|\\]|\\.)*\|((?:[^|\\]|\\.)*)\|/gm)].map(
				([, key = '', says = '']) => ({
					// In tables of several mappings, the keys include the mapping.
					name: path.includes(' ') || key.startsWith(`${path}.`) ? key : `${path}.${key}`,
					says: says
						.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
						.replaceAll(/[`\\]/g, '')
						.trim(),
					topic,
				}),
			),
	);
