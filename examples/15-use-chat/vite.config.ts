import { defaultClientConditions, defineConfig } from 'vite'

// For this repository, whose sources stand in for the package. A page of yours needs no such file.
export default defineConfig({
  resolve: { conditions: ['querent-source', ...defaultClientConditions] },
  optimizeDeps: { include: ['react', 'react/jsx-dev-runtime', 'react-dom/client'] },
})
