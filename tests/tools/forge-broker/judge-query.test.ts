import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {judgeQuery} from '../../../source/tools/forge-broker/judge-query.ts';

const repository = {host: 'github.com', owner: 'o', name: 'r'};

const judge = (query: unknown, variables?: unknown) =>
	judgeQuery(JSON.stringify({query, ...(variables !== undefined && {variables})}), repository);

type Asked = {
	readonly command: string;
	readonly query: string;
	readonly variables: Record<string, unknown> | null;
};

/** What gh 2.23 asks, as it was recorded. */
const asked = JSON.parse(
	readFileSync(join(import.meta.dirname, 'gh-queries.json'), 'utf8'),
) as readonly Asked[];

test.for(asked.map(({command, query, variables}) => [command, query, variables] as const))(
	'what gh %s asks may be asked of its repository, and of no other',
	([, query, variables]) => {
		const others = [
			{...variables, owner: 'other'},
			{...variables, repo: 'other'},
		].filter(() => variables !== null && 'owner' in variables);

		expect(judge(query, variables)).toMatchObject({ok: true});
		expect(others.map(other => judge(query, other).ok)).toEqual(others.map(() => false));
	},
);

test('a newer gh finds what it looks for', () => {
	const checks =
		'{repository(owner:"o",name:"r"){pullRequest(number:1){statusCheckRollup:commits(last:1){nodes{commit{statusCheckRollup{contexts(first:1){checkRunCount,checkRunCountsByState{state,count},statusContextCount,statusContextCountsByState{state,count},nodes{__typename ...on CheckRun{checkSuite{workflowRun{event,workflow{name}}}}}}}}}},autoMergeRequest{enabledBy{login ...on User{id,name}}}}}}';
	const features =
		'{PullRequest: __type(name: "PullRequest"){fields(includeDeprecated: true){name}}}';

	expect([judge(checks), judge(features)]).toMatchObject([{ok: true}, {ok: true}]);
});

const own = (fields: string) => `{repository(owner:"o",name:"r"){${fields}}}`;

test.for([
	['{viewer{login}}'],
	['{search(query:"x",type:ISSUE,first:1){nodes{...on Issue{title}}}}'],
	['{nodes(ids:["x"]){id}}'],
	['{repository:viewer{login}}'],
	['{node:search(query:"x",type:ISSUE,first:1){nodes{__typename}}}'],
	['query($s:Boolean=false){viewer @include(if:$s){login}}'],
	['query{...f @skip(if:true)} fragment f on Query{viewer{login}}'],
	['{repository(owner:"o",name:"r"){id} repository(owner:"other",name:"r"){id}}'],
	['query($o:String="o"){repository(owner:$o,name:"r"){id} b:repository(owner:"O",name:"r2"){id}}'],
	['{__schema{queryType{fields{name}}}}'],
	['{a:__schema{types{name}}}'],
	['{user(login:"x"){login}}'],
	['{...'.repeat(2000)],
	[own(`${'owner{'.repeat(60)}login${'}'.repeat(60)}`)],
	['{organization(login:"x"){login}}'],
	['{repositoryOwner(login:"x"){login}}'],
	['{resource(url:"https://github.com/x"){url}}'],
	['{rateLimit{remaining}}'],
	['{__schema{types{name}}}'],
	['{...on Query{viewer{login}}}'],
	['query A{...f} fragment f on Query{viewer{login}}'],
	['{repository(owner:"o",name:"r"){...f}} fragment f on Query{viewer{login}}'],
	[own('owner{repositories(first:1){nodes{name}}}')],
	[own('owner{...on User{repositories(first:1){nodes{name}}}}')],
	[own('owner{...on Organization{repository(name:"x"){name}}}')],
	[own('forks(first:1){nodes{name}}')],
	[own('parent{name}')],
	[own('templateRepository{name}')],
	[own('object(expression:"main:a"){...on Blob{text}}')],
	[own('collaborators{nodes{login}}')],
	[own('pullRequest(number:1){headRepository{issues(first:1){nodes{title}}}}')],
	[own('pullRequest(number:1){headRepository{...on Repository{issues(first:1){nodes{title}}}}}')],
	[own('pullRequest(number:1){headRepository{...{...on Repository{owner{login}}}}}')],
	[own('pullRequest(number:1){author{...on User{repositories{nodes{name}}}}}')],
	[own('pullRequest(number:1){author{...on Node{id}}}')],
	[own('pullRequest(number:1){closingIssuesReferences(first:1){nodes{title}}}')],
	[own('pullRequest(number:1){timelineItems(first:1){nodes{__typename}}}')],
	[own('pullRequest(number:1){repository{owner{login}}}')],
	[own('name{x}')],
	['{repository(owner:"other",name:"r"){id}}'],
	['{repository(owner:"o",name:"other"){id}}'],
	['{a:repository(owner:"o",name:"r"){id} b:repository(owner:"o",name:"other"){id}}'],
	['{repository(owner:"o"){id}}'],
	['{repository(name:"r"){id}}'],
	['{repository{id}}'],
	['{repository(owner:"other",name:"r") @skip(if:false){id}}'],
	['{repository(owner:"o",name:"r") @unknown{id}}'],
	['{repository(owner:"o",owner:"other",name:"r"){id}}'],
	['query($n:String="other"){repository(owner:"o",name:$n){id}}'],
	['query($n:String){repository(owner:"o",name:$n){id}}'],
	['query A{repository(owner:"o",name:"r"){id}} query B{viewer{login}}'],
	['mutation{addStar(input:{starrableId:"x"}){clientMutationId}}'],
	[
		'query A{repository(owner:"o",name:"r"){id}} mutation B{addStar(input:{starrableId:"x"}){clientMutationId}}',
	],
	['subscription{x}'],
	['{node(id:"x"){...on User{login}}}'],
	['{node(id:"x"){...on Repository{name}}}'],
	['{node(id:1){id}}'],
	['{node(id:"x"){...on PullRequest{title}} viewer{login}}'],
	['type Query{a:String}'],
	['{repository(owner:"o",name:"r"){...f}} fragment f on Repository{...f}'],
	['{'],
	[''],
	[null],
	[['{viewer{login}}']],
	[`{repository(owner:"o",name:"r"){${'id '.repeat(20_000)}}}`],
] as const)('%j is refused', ([query]) => {
	expect(judge(query)).toMatchObject({ok: false});
});

test.for([[{n: 'other'}], [{n: null}], [{n: ['r']}], [{n: {}}], [[]], ['n']] as const)(
	'a repository named by the variables %j is refused',
	([variables]) => {
		expect(judge('query($n:String!){repository(owner:"o",name:$n){id}}', variables)).toMatchObject({
			ok: false,
		});
	},
);

test('what is sent is written anew from what was judged', () => {
	const body =
		'{"query":"{viewer{login}}","query":"{repository(owner:\\"o\\",name:\\"r\\"){id}} # viewer","variables":{},"extensions":{"persistedQuery":1}}';
	const verdict = judgeQuery(body, repository);

	expect(verdict.ok && JSON.parse(verdict.body)).toEqual({
		query: '{\n  repository(owner: "o", name: "r") {\n    id\n  }\n}',
		variables: {},
	});
});

test('the identifiers of nodes are told, since they say nothing of their repository', () => {
	expect(
		judge('query($id:ID!){node(id:$id){...on PullRequest{title}}}', {id: 'PR_1'}),
	).toMatchObject({
		ok: true,
		nodes: ['PR_1'],
	});
});

test('a batch of requests is no request', () => {
	expect(judgeQuery('[{"query":"{viewer{login}}"}]', repository)).toMatchObject({ok: false});
});

test.for(['A', 'B', null, undefined] as const)(
	'whichever operation is chosen, each is judged: %j',
	operationName => {
		const query =
			'query A{repository(owner:"o",name:"r"){id}} query B{repository(owner:"other",name:"r"){id}}';

		expect(judgeQuery(JSON.stringify({query, operationName}), repository)).toMatchObject({
			ok: false,
			reason: expect.stringContaining('another repository'),
		});
		expect(
			judgeQuery(JSON.stringify({query: query.replace('other', 'o'), operationName}), repository),
		).toMatchObject({ok: true});
	},
);
