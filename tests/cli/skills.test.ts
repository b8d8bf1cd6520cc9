import {symlinkSync} from 'node:fs';
import {expect, test} from 'vitest';
import {testConfig} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {command, commandJson} from './command.ts';

const skill = (name: string, description = 'Does things') =>
	`---\nname: ${name}\ndescription: ${description}\n---\nBody\n`;

const job = (name: string, id: string, skills: readonly string[]) => ({
	id,
	name,
	schedule: '0 9 * * *',
	time_zone: 'UTC',
	prompt: 'x',
	skills,
});

/** A home with a profile, both with skills that routes, jobs and an agent of the chat API name. */
async function open() {
	const home = await temporaryHome({
		'config.yaml': testConfig({
			gateway: {multiplex_profiles: true},
			api: {models: {reviewer: {agent: true, skills: ['review', 'nowhere']}}},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					routes: {
						pulls: {prompt: 'x', skills: ['reveiw', 'review']},
						direct: {
							prompt: 'x',
							deliver: 'forge_comment',
							deliver_extra: {repo: 'acme/api', pr_number: '7'},
							deliver_only: true,
							skills: ['review'],
						},
					},
				},
			},
		}),
		'webhook_subscriptions.json': JSON.stringify({
			fires: {cron_job: 'morning', skills: ['nowhere']},
			work: {prompt: 'x', profile: 'work', secret: hookSecret, skills: ['triage', 'review']},
		}),
		'cron/jobs.json': JSON.stringify({
			jobs: [
				job('morning', 'job_morning0', ['review']),
				job('evening', 'job_evening0', ['broken', '../review']),
			],
		}),
		'skills/review/SKILL.md': skill('review', 'Reviews \u001B[2Jpull requests'),
		'skills/broken/SKILL.md': 'No front matter\n',
		'skills/.git/HEAD': 'x',
		'elsewhere/SKILL.md': skill('other'),
		'profiles/work/skills/triage/SKILL.md': skill('triage'),
	});
	symlinkSync(home.file('elsewhere'), home.file('skills/linked'));
	const world = {home: home.path};
	return {
		...home,
		run: async (line: string) => command(line.split(' '), world),
		json: async (line: string) => commandJson(line.split(' '), world),
	};
}

test('skills are listed with their size, where they are from, what uses them and what is wrong with them', async () => {
	await using home = await open();
	const [broken, linked, review] = await home.json('skills list');

	expect(broken).toEqual({
		name: 'broken',
		path: home.file('skills/broken'),
		bytes: 16,
		problems: ['its front matter has no description'],
		routes: [],
		jobs: ['evening'],
		models: [],
	});
	expect(linked).toMatchObject({
		link: home.file('elsewhere'),
		problems: ['it calls itself something else in its front matter'],
	});
	// "Ignored in `deliver_only` mode and on `cron_job` routes."
	expect(review).toMatchObject({
		description: 'Reviews \u001B[2Jpull requests',
		problems: [],
		routes: ['pulls'],
		jobs: ['morning'],
		models: ['reviewer'],
	});

	const {stdout} = await home.run('skills list');
	expect(stdout).toContain('1 route, 1 job, 1 model');
	expect(stdout).toContain('its front matter has no description');
	expect(stdout).not.toContain('\u001B');
});

test('one skill is shown; a profile has its own, which routes of the home name', async () => {
	await using home = await open();
	const {stdout} = await home.run('skills show review');
	expect(stdout).toContain('review  ● can be loaded');
	expect(stdout).toMatch(/^routes +pulls$/m);
	expect(stdout).not.toContain('\u001B');
	expect((await home.run('skills show broken')).stdout).toMatch(
		/^broken {2}✗ cannot be loaded\n[^]*^problem +its front matter has no description$/m,
	);

	expect(await home.json('-p work skills list')).toMatchObject([
		{name: 'triage', routes: ['work'], jobs: [], models: []},
	]);
	expect(await home.run('skills show nowhere')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('Cannot find skill "nowhere": see "svc skills list"'),
	});
});

test('"config check" and the doctor name skills that no folder has, with the nearest name, and those without effect', async () => {
	await using home = await open();
	const {code, stderr} = await home.run('config check');
	const about = stderr.split('\n').filter(line => line.includes('skill'));
	const said = about.map(line => line.replaceAll(home.path, '<home>'));

	expect(code).toBe(0);
	expect(said).toEqual([
		expect.stringMatching(
			/config\.yaml:1:\d+ \S+\.direct\.skills: has no effect: with deliver_only no agent runs$/,
		),
		expect.stringMatching(
			/webhook_subscriptions\.json:1:\d+ fires\.skills: has no effect: with cron_job the skills of the job apply$/,
		),
		'warning  config.yaml pulls: names skill "reveiw", and "<home>/skills" has no folder of that name: did you mean "review"?',
		'warning  webhook_subscriptions.json work: names skill "review", and "<home>/profiles/work/skills" has no folder of that name',
		'warning  jobs.json evening: names skill "broken", which cannot be loaded: its front matter has no description; names skill "../review", which cannot be loaded: letters, digits, "-" and "_" make a name',
		'warning  config.yaml api.models.reviewer: names skill "nowhere", and "<home>/skills" has no folder of that name',
	]);
	expect((await home.run('doctor --offline')).stdout).toContain('did you mean "review"?');
});

test('names of skills are completed, of a list the last one', async () => {
	await using home = await open();
	const offered = async (...words: readonly string[]) =>
		(await command(['__complete', '--', ...words], {home: home.path})).stdout.split('\n');

	expect(await offered('skills', 'show', 'r')).toEqual(['review', '']);
	expect(await offered('cron', 'add', '--skills', 'broken,')).toEqual([
		'broken,broken',
		'broken,linked',
		'broken,review',
		'',
	]);
	expect(await offered('webhook', 'subscribe', 'x', '--skills=re')).toEqual([
		'--skills=review',
		'',
	]);
	expect(await offered('-p', 'work', 'skills', 'show', '')).toEqual(['triage', '']);
});
