import {realpathSync} from 'node:fs';
import {join} from 'node:path';
import {readSkill, skillNames} from '../../agent/skills.ts';
import type {Config, RouteTable} from '../../config/config.ts';
import {placeless} from '../../config/place-diagnostic.ts';
import {subscriptionsText} from '../../config/text-files.ts';
import type {Diagnostic} from '../../core/config-view.ts';
import {nearestName} from '../../core/names.ts';
import type {ListedSkill} from '../../nouns/skill/skill.ts';
import {jobsFile} from '../../schedule/job-file.ts';
import type {Context} from '../console/context.ts';
import {servingContext} from '../home/gateway-access.ts';
import {readConfig, readRoutes, readJobFiles} from '../home/receiver-facts.ts';

/** Something that names skills for an agent. */
type SkillUse = {
	readonly kind: 'routes' | 'jobs' | 'models';
	readonly name: string;
	/** The profile whose folder contains the skills. */
	readonly profile: string;
	readonly skills: readonly string[];
	/** Where the skills are named. */
	readonly at: {readonly file: string; readonly key: string};
};

/** What uses skills. Routes without an agent name skills in vain, which is reported elsewhere. */
function usesOf(
	context: Pick<Context, 'clock'>,
	config: Config,
	{routes}: Pick<RouteTable, 'routes'>,
): readonly SkillUse[] {
	const {paths, api} = config;
	const all: readonly SkillUse[] = [
		...[...routes.values()]
			.filter(({deliverOnly, cronJob}) => !deliverOnly && cronJob === undefined)
			.map(({name, profile, skills, source}) => ({
				kind: 'routes' as const,
				name,
				profile,
				skills,
				at: {file: source === 'static' ? paths.config : subscriptionsText(paths).name, key: name},
			})),
		...readJobFiles(context, config).flatMap(({entries, profile, paths: own}) =>
			entries.flatMap(({ok, job}) => {
				const at = {file: jobsFile(own), key: job.name};
				return ok ? {kind: 'jobs' as const, name: job.name, profile, skills: job.skills, at} : [];
			}),
		),
		...[...api.models].map(([name, {skills}]) => ({
			kind: 'models' as const,
			name,
			profile: 'default',
			skills,
			at: {file: paths.config, key: `api.models.${name}`},
		})),
	];
	return all.filter(({skills}) => skills.length > 0);
}

/** The skills of the context's profile in alphabetical order, with what uses them. `only`: just this one. @throws SvcError `config_invalid` */
export async function listSkills(context: Context, only?: string): Promise<readonly ListedSkill[]> {
	const {skills: skillsDir, profile: own} = context.paths();
	// Routes of a profile served by another home are in that home's files.
	const above = await servingContext(context);
	const profile = above ? own : 'default';
	const config = readConfig(above ?? context);
	const uses = usesOf(context, config, readRoutes(context, config)).filter(
		use => use.profile === profile,
	);
	return skillNames(skillsDir)
		.filter(name => only === undefined || name === only)
		.map(name => {
			const read = readSkill(name, skillsDir);
			const path = join(skillsDir, name);
			const real = realpathSync(path);
			const usedBy = (kind: SkillUse['kind']) =>
				uses.filter(use => use.kind === kind && use.skills.includes(name)).map(use => use.name);
			return {
				name,
				path,
				...(real !== join(realpathSync(skillsDir), name) && {link: real}),
				...(read.bytes !== undefined && {bytes: read.bytes}),
				...(read.ok && {description: read.skill.description}),
				problems: read.ok ? read.warnings : [read.problem],
				routes: usedBy('routes'),
				jobs: usedBy('jobs'),
				models: usedBy('models'),
			};
		});
}

/** A warning for each route, job or chat API agent that names skills which cannot be loaded: its runs continue without them. */
export function problemsWithSkills(
	context: Pick<Context, 'clock'>,
	config: Config,
	table: Pick<RouteTable, 'routes'>,
): readonly Diagnostic[] {
	const known = new Map<string, string | undefined>();
	return usesOf(context, config, table).flatMap(({profile, skills, at: {file, key}}) => {
		const {skills: skillsDir} = config.profiles.of(profile).paths;
		const messages = skills.flatMap(name => {
			const id = join(skillsDir, name);
			if (!known.has(id)) {
				known.set(id, problemWithSkill(name, skillsDir));
			}

			return known.get(id) ?? [];
		});
		const message = messages.join('; ');
		return message === '' ? [] : [placeless(file, {key, message, severity: 'warning'})];
	});
}

function problemWithSkill(name: string, skillsDir: string): string | undefined {
	const read = readSkill(name, skillsDir);
	if (read.ok) {
		return undefined;
	}

	if (read.isMissing) {
		const near = nearestName(name, skillNames(skillsDir));
		return `names skill "${name}", and "${skillsDir}" has no folder of that name${near === undefined ? '' : `: did you mean "${near}"?`}`;
	}

	return `names skill "${name}", which cannot be loaded: ${read.problem}`;
}
