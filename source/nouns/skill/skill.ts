import {termsOf, textTerm} from '../../core/filter/terms.ts';
import {countOf} from '../../core/names.ts';
import {bytes} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, type Noun} from '../noun.ts';

/** A skill's folder with the contents of its `SKILL.md`. Texts are unescaped. */
export type ListedSkill = {
	readonly name: string;
	/** The folder. */
	readonly path: string;
	/** The link's target, if `path` is a link. */
	readonly link?: string;
	/** The size of `SKILL.md`, if there is one. */
	readonly bytes?: number;
	/** Absent if the skill cannot be loaded. */
	readonly description?: string;
	/** Its problems. */
	readonly problems: readonly string[];
	/** The routes that name the skill and run an agent. */
	readonly routes: readonly string[];
	readonly jobs: readonly string[];
	/** The chat API's models that name the skill. */
	readonly models: readonly string[];
};

const usedBy = ({routes, jobs, models}: ListedSkill): string =>
	[[routes, 'route'] as const, [jobs, 'job'] as const, [models, 'model'] as const]
		.filter(([names]) => names.length > 0)
		.map(([names, one]) => countOf(names.length, one))
		.join(', ');

const joined = (names: readonly string[]): string | undefined =>
	names.length === 0 ? undefined : names.join(', ');

/** A skill of the profile. @see manual/skills.md */
export const skillNoun: Noun<ListedSkill> = {
	one: 'skill',
	many: 'skills',
	argument: 'skill',
	argumentSays: 'name of the skill',
	missing: 'skill_not_found',
	id: ({name}) => name,
	name: ({name}) => name,
	columns: [
		mainColumn('name', {least: 8, most: 24}, ({name}) => name),
		column('size', 8, {
			value: skill => (skill.bytes === undefined ? '-' : bytes(skill.bytes)),
			align: 'end',
		}),
		column('used by', 18, skill => usedBy(skill) || '-'),
		column('description', {}, ({description}) => description?.trim() ?? '-'),
	],
	printed: {
		columns: ['name', 'size', 'used by', 'description'],
		whole: ['name'],
		optional: ['size'],
		empty: 'No skills',
	},
	note: ({problems}) => joined(problems),
	factCells: 11,
	head: ({name, description}) => [
		{text: name, tone: 'strong'},
		description === undefined
			? {text: '✗ cannot be loaded', tone: 'bad'}
			: {text: '● can be loaded', tone: 'good'},
	],
	facts: ({description, path, link, bytes: size, problems, routes, jobs, models}) => [
		...fact('description', description?.trim()),
		...fact('from', path),
		...fact('link to', link),
		...fact('size', size === undefined ? undefined : bytes(size)),
		...fact('routes', joined(routes)),
		...fact('jobs', joined(jobs)),
		...fact('models', joined(models)),
		...problems.flatMap(problem => fact('problem', problem, {tone: 'warn'})),
	],
	vocabulary: {
		terms: termsOf<ListedSkill>({
			name: textTerm(({name}) => name, {says: 'its name', example: 'name:review'}),
		}),
		haystack: ({name, description = ''}) => `${name} ${description}`.toLowerCase(),
	},
};
