# want: SCN0106 4 services:

# A file of Compose
services:
  web:
    image: nginx
    ports: ["80:80"]
