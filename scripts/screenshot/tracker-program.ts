import {McpServer} from '@modelcontextprotocol/server';
import {serveStdio} from '@modelcontextprotocol/server/stdio';
import {z} from 'zod';

// A tool server for the pictures: an issue tracker that keeps nothing.

const said = (text: string) => ({content: [{type: 'text' as const, text}]});

const reads = {readOnlyHint: true};

serveStdio(() => {
	const server = new McpServer({name: 'tracker', version: '3.1.0'});
	server.registerTool(
		'get_issue',
		{
			description: 'Reads an issue with its comments.',
			inputSchema: z.object({project: z.string(), number: z.number()}),
			annotations: reads,
		},
		async ({number}) => said(`#${number} is open, 3 comments`),
	);
	server.registerTool(
		'list_issues',
		{
			description: 'Lists the issues of a project.',
			inputSchema: z.object({project: z.string()}),
			annotations: reads,
		},
		async () => said('no issues'),
	);
	server.registerTool(
		'create_issue',
		{
			description:
				'Creates an issue in a project and tells everybody who watches it. Labels that do not exist are made.',
			inputSchema: z.object({
				project: z.string(),
				title: z.string(),
				body: z.string(),
				labels: z.array(z.string()).optional(),
				assignee: z.string().optional(),
			}),
			annotations: {readOnlyHint: false, destructiveHint: false},
		},
		async ({title}) => said(`Created #131: ${title}`),
	);
	server.registerTool(
		'close_issue',
		{
			description: 'Closes an issue.',
			inputSchema: z.object({project: z.string(), number: z.number()}),
			annotations: {readOnlyHint: false, destructiveHint: false},
		},
		async ({number}) => said(`Closed #${number}`),
	);
	server.registerTool(
		'delete_project',
		{
			description: 'Deletes a project with all its issues.',
			inputSchema: z.object({project: z.string()}),
			annotations: {destructiveHint: true},
		},
		async () => said('Deleted'),
	);
	return server;
});
